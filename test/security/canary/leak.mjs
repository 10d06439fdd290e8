// Loaded before the app: logs what no log may hold, so that the search for canaries is seen to find it.
import { subscribe } from 'node:diagnostics_channel';

subscribe('http.server.request.start', ({ request }) => {
  const { authorization } = request.headers;
  if (authorization) process.stdout.write(`${request.method} ${request.url} by ${btoa(authorization)}\n`);
});
