// Writes docs/reference, docs/settings.md, .env.example, the operations of the client and the types of events in
// docs/webhooks.md. Tests compare these files with the code. If UPDATE_DOCS is set, the tests write the files instead.
process.env.UPDATE_DOCS = '1';
process.argv.push('test/docs/reference', 'test/docs/settings', 'test/docs/event-types.spec.ts');
await import('./test.mjs');
