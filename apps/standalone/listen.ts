import type { NestExpressApplication } from '@nestjs/platform-express';

const REMEDIES = new Map<unknown, (host: string, port: number) => string>([
  [
    'EADDRINUSE',
    (host, port) =>
      `Port ${port} of ${host} is in use by another program. Set PORT to a free one, such as PORT=${port + 1}, or end ` +
      'that program.',
  ],
  [
    'EACCES',
    (_host, port) => `This user may not listen at port ${port}. Set PORT to one above 1023, such as PORT=3000.`,
  ],
  ['EADDRNOTAVAIL', host => `HOST=${host} is not an address of this machine. Set HOST to one, such as 127.0.0.1.`],
  ['ENOTFOUND', host => `HOST=${host} is not known. Set HOST to an address of this machine, such as 127.0.0.1.`],
]);

/** Starts to listen. @throws Error that names the variable to set */
export async function listen(
  app: NestExpressApplication,
  { host, port }: { host: string; port: number },
): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (error) {
    const remedy = REMEDIES.get(Reflect.get(Object(error), 'code'));
    if (!remedy) throw error;
    throw new Error(remedy(host, port), { cause: error });
  }
}
