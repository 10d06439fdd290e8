import type { CanaryStage } from './stage.js';

/** Signs in on the page, sends the page's requests, signs out; ends one session from another. */
export async function runDashboard({ app, traffic, firstToken, canaries }: CanaryStage): Promise<void> {
  const page = { 'x-governance-dashboard': '1', 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const signIn = async (): Promise<string> => {
    const body = JSON.stringify({ token: firstToken });
    const { headers, status } = await fetch(`${app.url}/session`, { method: 'POST', headers: page, body });
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    if (status !== 201 || cookie === '') throw new Error(`sign-in: ${status}`);
    canaries.add('secret of a session', cookie.split('=')[1] ?? '');
    return cookie;
  };
  const [one, two] = [await signIn(), await signIn()];
  await fetch(`${app.url}/v1/me`, { headers: { ...page, cookie: one } });
  await fetch(`${app.url}/session`, { method: 'DELETE', headers: { ...page, cookie: one } });
  // The first cookie is no longer valid. The second request lacks the headers of the page.
  await fetch(`${app.url}/v1/me`, { headers: { ...page, cookie: one } });
  await fetch(`${app.url}/v1/policies`, { method: 'POST', headers: { cookie: two }, body: '{}' });
  const { code } = await traffic.do('POST', '/v1/sessions/links', {});
  canaries.add('code of a sign-in link', code);
  const linked = JSON.stringify({ link: code });
  for (const status of [201, 401]) {
    const answer = await fetch(`${app.url}/session`, { method: 'POST', headers: page, body: linked });
    if (answer.status !== status) throw new Error(`sign-in by link: ${answer.status}`);
    const secret = answer.headers.getSetCookie()[0]?.split(';')[0]?.split('=')[1];
    if (secret !== undefined) canaries.add('secret of a session by link', secret);
  }
  await traffic.do('GET', '/v1/me');
  await traffic.do('GET', '/v1/overview');
  await traffic.do('GET', '/v1/search?q=ada');
  await traffic.send('GET', '/v1/stream?topics=incidents,users', { headers: { accept: 'text/event-stream' } });
  const [session] = (await traffic.do('GET', '/v1/sessions')).items;
  await traffic.do('DELETE', `/v1/sessions/${session.id}`);
}
