import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder } from './data-folder.js';
import { debianProgram, freePort, startProgram } from './debian-programs.js';

/** The path of HAProxy; undefined if the Debian package `haproxy` is not installed. */
export const HAPROXY = debianProgram('haproxy');

const SAMPLE = join(import.meta.dirname, '..', '..', 'deploy', 'haproxy', 'haproxy.cfg');

/** A load balancer in front of replicas. */
export interface LoadBalancer {
  url: string;
  /** The number of ready replicas, as the load balancer reports it. */
  ready(): Promise<number>;
  readonly output: () => string;
  stop(): Promise<void>;
}

/** Starts HAProxy with the example configuration of `deploy/haproxy` before two replicas on ports of 127.0.0.1. */
export async function startHaproxy(ports: readonly [number, number]): Promise<LoadBalancer> {
  if (HAPROXY === undefined) throw new Error('HAProxy is not installed: apt-get install haproxy');
  const folder = makeDataFolder('governance-haproxy');
  const file = join(folder, 'haproxy.cfg');
  const [port, statsPort] = [await freePort(), await freePort()];
  const addressed = readFileSync(SAMPLE, 'utf8')
    .replace('bind :8080', `bind 127.0.0.1:${port}`)
    .replace('app-1.example.com:3000', `127.0.0.1:${ports[0]}`)
    .replace('app-2.example.com:3000', `127.0.0.1:${ports[1]}`);
  const stats = ['frontend stats', `  bind 127.0.0.1:${statsPort}`, '  stats enable', '  stats uri /stats', ''];
  writeFileSync(file, `${addressed}\n${stats.join('\n')}`);
  const program = startProgram(HAPROXY, ['-db', '-f', file]);
  const ready = async (): Promise<number> => {
    if (program.process.exitCode !== null) throw new Error(`HAProxy has ended: ${program.output()}`);
    const answer = await fetch(`http://127.0.0.1:${statsPort}/stats;csv`).catch(() => undefined);
    const lines = (await answer?.text())?.split('\n') ?? [];
    return lines.filter(line => line.startsWith('replicas,app-') && line.split(',')[17] === 'UP').length;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    ready,
    output: program.output,
    async stop() {
      await program.stop('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
