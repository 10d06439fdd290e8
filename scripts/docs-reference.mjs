// Writes docs/reference and the operations of the client: the tests that compare its pages with the code write them where UPDATE_DOCS says so.
process.env.UPDATE_DOCS = '1';
process.argv.push('test/docs/reference', 'test/docs/client.spec.ts');
await import('./test.mjs');
