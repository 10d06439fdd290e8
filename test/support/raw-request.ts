import { request } from 'node:http';

/**
 * A request over a raw socket, with the given headers and the body in pieces. `isPatient`: whether all pieces are sent,
 * even after the answer has arrived.
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
    // Ignores errors: the answer may arrive, and the connection may end, before all pieces are sent.
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
