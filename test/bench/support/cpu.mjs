import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/**
 * CPU time in milliseconds that a process and its children have used so far, including ended children. Returns 0 on
 * systems other than Linux.
 */
export function cpuOf(pid) {
  if (process.platform !== 'linux' || pid === undefined) return { own: 0, children: 0 };
  const all = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(statOf);
  const own = all.find(each => each.pid === pid)?.own ?? 0;
  let children = all.find(each => each.pid === pid)?.waited ?? 0;
  for (let parents = [pid]; parents.length > 0;) {
    const next = all.filter(({ parent }) => parents.includes(parent));
    for (const each of next) children += each.own + each.waited;
    parents = next.map(each => each.pid);
  }
  return { own, children };
}

function statOf(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // The process has ended since the folder was listed.
    return [];
  }
  // The process name may contain any character; the fields after it do not.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ms = (from, to) => fields.slice(from, to).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0);
  return [{ pid: Number(pid), parent: Number(fields[1]), own: ms(11, 13), waited: ms(13, 15) }];
}

/** CPU time in milliseconds that all processes of the machine have used so far. Undefined on systems without /proc. */
export function cpuOfMachine() {
  try {
    const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      .split(/\s+/)
      .map(Number);
    return (user + nice + system + irq + softirq + steal) * TICK_MS;
  } catch {
    return undefined;
  }
}
