// Writes docs/spec-coverage.md. A test compares this page with the tests. If UPDATE_DOCS is set, the test writes the
// page instead.
process.env.UPDATE_DOCS = '1';
process.argv.push('test/spec');
await import('./test.mjs');
