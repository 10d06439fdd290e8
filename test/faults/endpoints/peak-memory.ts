import { readFileSync, writeFileSync } from 'node:fs';

/** Whether the system tells the most memory that a process has had. */
export const TELLS_PEAK_MEMORY = process.platform === 'linux';

/** Has the most memory that a process has had be counted from now on (proc(5), `clear_refs`). */
export function forgetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The most memory that a process has had in RAM at any moment, in MiB. */
export function peakMemory(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kibibytes === undefined) throw new Error(`the system says nothing of the memory of process ${pid}`);
  return Number(kibibytes) / 1024;
}
