// The emulated provider as a process of its own.
import '../../support/typescript.mjs';

const { startProvider } = await import('../../support/providers/provider.ts');
const provider = await startProvider({ kind: 'openai', keep: false });
process.send({ url: provider.url, key: provider.key });
process.once('message', () => void provider.close().then(() => process.exit(0)));
