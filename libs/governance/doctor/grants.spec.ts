import { describe, expect, it } from '@jest/globals';
import { grantStatements } from './grants.js';

// No process listens on this port, so a test that connects fails.
const url = 'postgres://worker:secret@127.0.0.1:1/governance';

describe('the statements that prepare the roles', () => {
  it('are refused if no role of the migrations is named, because the app would get its rights', async () => {
    await expect(grantStatements({ url })).rejects.toThrow('Set GOVERNANCE_MIGRATION_URL');
  });

  it('are refused, without the password, if the server cannot be asked for its version', async () => {
    const migrationUrl = url.replace('worker', 'owner');
    const refused = grantStatements({ url, migrationUrl });
    await expect(refused).rejects.toThrow(/cannot be asked for its version: (?!.*secret)/);
  });
});
