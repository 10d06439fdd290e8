import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './data-folder.js';

/** Where the first admin token was stored, and how the announcement describes it. */
export interface KeptToken {
  /** The text after "Admin token" in the announcement. */
  shown: string;
  /** A second line that tells the operator what to do. */
  hint: string;
  /** The file with the token. Missing if the token is shown on the terminal or could not be stored. */
  file?: string;
}

const TOKEN_FILE = 'admin-token';

/**
 * Gives the first admin token to the operator. A terminal shows the token. Any other output may be a log that more
 * people read. In that case, the token is written to a file that only the app's user can read.
 */
export function handOver(token: string, dataDir: string, isTerminal: boolean, another: string): KeptToken {
  if (isTerminal) return { shown: token, hint: '(shown only now; keep it)' };
  const file = join(dataDir, TOKEN_FILE);
  try {
    makeFolder(dataDir);
    // An existing file or link is removed first, because it would keep its mode and owner.
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    // The umask may have removed rights of the owner.
    chmodSync(file, 0o600);
    return {
      file,
      shown: `in the file ${file}`,
      hint: '(only your user can read it; delete it once you have kept the token)',
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      shown: `lost: it could not be written to a file (${reason})`,
      hint: `(make another: ${another})`,
    };
  }
}
