// Sends batches over HTTP from a separate process. The bodies are created before the time measurement starts.
import { batchOf } from './events.mjs';

process.once('message', task => void measure(task));

async function measure({ url, token, rounds, batches, inFlight }) {
  const rates = [];
  for (let round = -1; round < rounds; round++) {
    const bodies = Array.from({ length: batches }, () => JSON.stringify({ events: batchOf(1_000, Date.now()) }));
    const begun = performance.now();
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        for (let body = bodies.pop(); body; body = bodies.pop()) {
          const response = await fetch(`${url}/v1/usage/events`, {
            method: 'POST',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body,
          });
          const receipt = await response.json();
          if (receipt.accepted !== 1_000) throw new Error(JSON.stringify(receipt).slice(0, 300));
        }
      }),
    );
    if (round >= 0) rates.push((batches * 1_000) / ((performance.now() - begun) / 1_000));
  }
  process.send(rates);
}
