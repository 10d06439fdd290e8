import { readFileSync, writeFileSync } from 'node:fs';

/** Whether the system reports the peak memory of a process. */
export const TELLS_PEAK_MEMORY = process.platform === 'linux';

/** Resets the peak memory of a process (proc(5), `clear_refs`). */
export function forgetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

/** The peak memory of a process in RAM since the last reset, in MiB. */
export function peakMemory(pid: number): number {
  const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (kibibytes === undefined) throw new Error(`the system says nothing of the memory of process ${pid}`);
  return Number(kibibytes) / 1024;
}
