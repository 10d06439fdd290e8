// The long form of the fuzz tests: a million inputs and a table of the results.
process.env.FAULTS = 'full';
process.env.SHOW_OUTPUT = 'yes';
process.argv.splice(2, 0, 'test/fuzz');
await import('./test.mjs');
