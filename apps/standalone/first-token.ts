import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './data-folder.js';

/** A place that takes the first admin token, and how the announcement names it. */
export interface KeptToken {
  /** The text behind "Admin token" in the announcement. */
  shown: string;
  /** A second line for the reader. */
  hint: string;
  /** The file that holds it; missing if it is shown, or lost. */
  file?: string;
}

const TOKEN_FILE = 'admin-token';

/**
 * Hands the first admin token to the operator. A terminal shows it; any other standard output may be a log that others
 * read, so there the token goes to a file that only the app's user can open.
 */
export function handOver(token: string, dataDir: string, isTerminal: boolean, another: string): KeptToken {
  if (isTerminal) return { shown: token, hint: '(shown only now; keep it)' };
  const file = join(dataDir, TOKEN_FILE);
  try {
    makeFolder(dataDir);
    // Made anew: a file or link that stood there before would keep its own mode and owner.
    rmSync(file, { force: true });
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    // The umask of the process may have taken the owner's own rights.
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
