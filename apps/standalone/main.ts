import 'reflect-metadata';
import { startServer } from './server.js';

const DEADLINE_MS = 15_000;

try {
  const server = await startServer();
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    setTimeout(() => process.exit(0), DEADLINE_MS).unref();
    void server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`The shutdown was not clean: ${error instanceof Error ? error.message : 'unknown'}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
} catch (error) {
  process.stderr.write(`\nCould not start. ${error instanceof Error ? error.message : String(error)}\n\n`);
  process.exit(1);
}
