import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeWhere } from '../../test/support/describe-where.js';
import { holderOf } from './data-folder.js';

const missing = process.platform !== 'linux' && 'this is not Linux';

describeWhere(missing, 'a data folder whose process was killed', () => {
  let folder: string;
  let parent: ChildProcess | undefined;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'governance-data-folder-'));
  });

  afterEach(() => {
    parent?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  /** The pid of a zombie process: it has ended, but its parent never reads its status. */
  async function unreaped(): Promise<number> {
    // `exec` replaces the shell with a program that never reads the exit status of the shell's child.
    parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
    // Before `exec` is done, the shell would still read the status of its child.
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8').trim() !== 'sleep') await pause();
    return Number(String(line));
  }

  const pause = () => new Promise(done => setTimeout(done, 5));

  const stateOf = (pid: number): string[] => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  };

  it('is free as soon as that process has ended, even if its parent has not read its exit status', async () => {
    const pid = await unreaped();
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    writeFileSync(join(folder, 'lock.json'), JSON.stringify({ pid, started: `${boot} ${stateOf(pid)[19]}` }));
    expect(holderOf(folder)?.pid).toBe(pid);

    process.kill(pid, 'SIGKILL');
    while (stateOf(pid)[0] !== 'Z') await pause();
    expect(holderOf(folder)).toBeUndefined();
  });
});
