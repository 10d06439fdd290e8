// Photographs every page of the dashboard in both themes, wide and narrow, into photos/.
process.env.PHOTOS = '1';
process.argv.push('test/dashboard/pages.spec.ts');
await import('./test.mjs');
