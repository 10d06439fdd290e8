// A repeated usage report lacks the id that makes it count once.
import { randomUUID } from 'node:crypto';
import { ofApp } from './support/app.mjs';

const { UsageIngestion } = await ofApp('libs/usage/ingest/usage-ingestion.js');

const seen = new Set();
const { recordRaw } = UsageIngestion.prototype;
UsageIngestion.prototype.recordRaw = function (orgId, events, options) {
  const keyless = events.map(event => {
    const { raw } = event;
    if (!seen.has(raw?.id)) return event;
    return { ...event, raw: { ...raw, id: randomUUID() } };
  });
  for (const { raw } of events) seen.add(raw?.id);
  return recordRaw.call(this, orgId, keyless, options);
};
