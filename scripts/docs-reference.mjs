// Writes docs/reference, docs/settings.md, .env.example and the operations of the client: the tests that compare them
// with the code write them where UPDATE_DOCS says so.
process.env.UPDATE_DOCS = '1';
process.argv.push('test/docs/reference', 'test/docs/settings', 'test/docs/client.spec.ts');
await import('./test.mjs');
