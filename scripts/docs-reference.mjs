// Writes docs/reference, docs/settings.md, .env.example, the operations of the client and the types of events in
// docs/webhooks.md: the tests that compare them with the code write them where UPDATE_DOCS says so.
process.env.UPDATE_DOCS = '1';
process.argv.push(
  'test/docs/reference',
  'test/docs/settings',
  'test/docs/client.spec.ts',
  'test/docs/event-types.spec.ts',
);
await import('./test.mjs');
