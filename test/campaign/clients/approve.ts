import { Caller, type Answer, type Surroundings } from './caller.js';

/** Makes users request a model that needs an approval, grants the request, and revokes the grant. */
export async function approve(surroundings: Surroundings, seed: number, users: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  for (let n = 1; !caller.isOver; n++) {
    const user = caller.pick(users);
    // A separate model for each round, so that a round has one approval.
    const model = `ask-${seed}-${n}`;
    const ask = (): Promise<Answer | undefined> =>
      caller.send({
        what: 'decide',
        method: 'POST',
        path: '/v1/decisions',
        body: { user_id: user, provider: 'acme', model },
      });
    const change = (what: 'approve' | 'revoke', approval: string): Promise<Answer | undefined> => {
      const path = `/v1/approvals/${approval}/${what}`;
      const keep = ({ body }: Answer): object => ({ status: body['status'] });
      return caller.insist({ what, method: 'POST', path, body: {}, asked: { approval, user, model }, keep });
    };
    const approval = (await ask())?.body['approval_id'];
    if (typeof approval === 'string') {
      await change('approve', approval);
      for (let asked = 0; asked < 8; asked++, await caller.pause(200)) await ask();
      await change('revoke', approval);
    }
    for (let asked = 0; asked < 8; asked++, await caller.pause(300)) await ask();
  }
}
