/** Sends one request without retries. Resolves with the error, or with undefined if there was none. */
export async function askOnce(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: object,
): Promise<string | undefined> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  try {
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(url + path, sent);
    const text = await answer.text();
    return answer.status === 200 ? undefined : `${method} ${path}: ${answer.status} ${text}`;
  } catch (error) {
    return `${method} ${path}: ${String(error)}`;
  }
}
