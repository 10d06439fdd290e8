// Writes docs/spec-coverage.md: the test that compares the page with the tests writes it where UPDATE_DOCS says so.
process.env.UPDATE_DOCS = '1';
process.argv.push('test/spec');
await import('./test.mjs');
