// Writes docs/spec-coverage.md. The test that compares the page with the tests writes it if UPDATE_DOCS is set.
process.env.UPDATE_DOCS = '1';
process.argv.push('test/spec');
await import('./test.mjs');
