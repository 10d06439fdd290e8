// Imports three published traces of LLM usage: node scripts/import-traces.mjs <folder> <organization id>
// A session or a client of a trace becomes a user. Only Azure's trace has calendar dates. The other traces
// are imported as if they started on Monday, 5 January 2026.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './prepare.mjs';

const [folder, orgId] = process.argv.slice(2);
if (!folder || !orgId) {
  process.stderr.write('usage: node scripts/import-traces.mjs <folder> <organization id>\n');
  process.exit(2);
}

const ORIGIN = ['--time-origin', '2026-01-05T00:00:00Z'];
const TRACES = {
  'ragpulse.csv.gz': [
    ...fields({
      user_email: '{session_id}@ragpulse.example',
      provider: 'self-hosted',
      model: 'rag-model',
      occurred_at: '{timestamp_s}',
      input_tokens: '{input_length}',
      output_tokens: '{output_length}',
    }),
    ...['--time-format', 'seconds', ...ORIGIN],
  ],
  'azure_conv.csv.gz': fields({
    user_email: 'conversation@azure.example',
    provider: 'azure',
    model: 'gpt-4',
    occurred_at: '{TIMESTAMP}',
    input_tokens: '{ContextTokens}',
    output_tokens: '{GeneratedTokens}',
  }),
  'servegen_client_hourly_requests.csv.gz': [
    ...fields({
      user_email: '{client}@servegen.example',
      provider: 'self-hosted',
      model: '{model}',
      occurred_at: '{hour}',
      requests: '{requests}',
      input_tokens: '0',
      output_tokens: '0',
    }),
    ...['--time-format', 'hours', ...ORIGIN],
  ],
};

for (const [file, options] of Object.entries(TRACES)) {
  process.stderr.write(`${file}\n`);
  const args = ['import', 'usage', join(folder, file), '--org', orgId, '--create-users', ...options];
  const result = spawnSync(process.execPath, [join(root, 'scripts', 'cli.mjs'), ...args], { stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

function fields(templates) {
  return Object.entries(templates).flatMap(([field, template]) => ['--field', `${field}=${template}`]);
}
