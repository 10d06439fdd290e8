// Preloaded before the app. Logs secrets, to prove that the search for canaries finds them.
import { subscribe } from 'node:diagnostics_channel';

subscribe('http.server.request.start', ({ request }) => {
  const { authorization } = request.headers;
  if (authorization) process.stdout.write(`${request.method} ${request.url} by ${btoa(authorization)}\n`);
});
