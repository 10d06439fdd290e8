import { request } from 'node:http';

/**
 * A request by hand: with the headers that it is given, and the body in pieces. `isPatient`: sends all of it, also after the
 * answer.
 */
export function send(
  url: string,
  {
    headers = {},
    pieces,
    beforeEnd = async () => undefined,
    isPatient = false,
  }: {
    headers?: Record<string, string>;
    pieces: Iterable<Buffer>;
    beforeEnd?: () => Promise<void>;
    isPatient?: boolean;
  },
): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const call = request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    call.on('response', response => {
      let text = '';
      response.on('data', chunk => (text += String(chunk)));
      response.on('end', () => {
        const answer = { status: response.statusCode ?? 0, text };
        if (!isPatient || call.writableFinished) return done(answer);
        for (const over of ['finish', 'close']) call.once(over, () => done(answer));
      });
      response.on('error', fail);
    });
    // The answer may come, and the connection end, while there is still more to send.
    call.on('error', error => setTimeout(() => fail(error), 1_000));
    const source = pieces[Symbol.iterator]();
    const write = (): void => {
      for (;;) {
        const { value, done: isOver } = source.next();
        if (isOver) return void beforeEnd().then(() => call.end(), fail);
        if (!call.write(value)) return void call.once('drain', write);
      }
    };
    write();
  });
}
