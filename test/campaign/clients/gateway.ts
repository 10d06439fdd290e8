import { Caller, type Answer, type Surroundings } from './caller.js';

const PATH = '/gateway/openai/v1/chat/completions';

/** Calls a provider through the gateway, with and without streams. Does not repeat a call whose answer is lost. */
export async function callGateway(surroundings: Surroundings, seed: number, tokens: readonly string[]): Promise<void> {
  const caller = new Caller(surroundings, seed);
  for (let n = 1; !caller.isOver; n++) {
    await caller.pause(500);
    const call = `call ${seed} ${n}`;
    const stream = caller.chance.below(2) === 0;
    const body = {
      model: stream ? 'gpt-4o' : 'gpt-4o-mini',
      messages: [{ role: 'user', content: call }],
      max_tokens: 200,
      ...(stream && { stream: true, stream_options: { include_usage: true } }),
    };
    const token = caller.pick(tokens);
    await caller.send({ what: 'gateway', method: 'POST', path: PATH, body, asked: { call }, token, keep: usageOf });
  }
}

/** The decision for a call, and the usage in its answer. */
function usageOf({ headers, body, text }: Answer): object {
  const decision = headers.get('x-governance-decision-id');
  const chunks = text.split('\n').filter(line => line.startsWith('data: {'));
  const last = chunks.findLast(line => line.includes('"prompt_tokens"'))?.slice('data: '.length);
  const usage: unknown = last === undefined ? body['usage'] : Reflect.get(Object(JSON.parse(last)), 'usage');
  const { prompt_tokens: input = null, completion_tokens: output = null } = Object(usage ?? {});
  return { decision, input, output };
}
