// Writes docs/reference, docs/settings.md, .env.example, the operations of the client and the types of events in
// docs/webhooks.md. The tests that compare these files with the code write them if UPDATE_DOCS is set.
process.env.UPDATE_DOCS = '1';
process.argv.push(
  'test/docs/reference',
  'test/docs/settings',
  'test/docs/client.spec.ts',
  'test/docs/event-types.spec.ts',
);
await import('./test.mjs');
