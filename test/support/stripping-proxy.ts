import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy that publishes an app below the path `/published`. */
export type StrippingProxy = Server & { url: string };

/**
 * Forwards requests without the first folder of their path, like a proxy that publishes an app below a prefix.
 *
 * @param target the address of the app; read for each request, because the app may start after its proxy
 */
export async function startStrippingProxy(target: () => string): Promise<StrippingProxy> {
  const proxy = createServer((incoming, outgoing) => {
    const { method = 'GET', url = '', headers } = incoming;
    const path = url.replace(/^\/published/, '');
    const passed = request(target() + path, { method, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    // Ignores errors, because a browser that is closed aborts its streams.
    passed.on('error', () => outgoing.destroy());
    outgoing.on('close', () => passed.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return Object.assign(proxy, { url: `http://127.0.0.1:${port}/published` });
}
