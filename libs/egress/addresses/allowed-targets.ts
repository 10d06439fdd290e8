import { type Network, parseNetworks } from './network.js';

/** What calls leave this system for. */
export const EGRESS_PURPOSES = ['webhooks', 'tickets', 'chat', 'gateway', 'audit'] as const;

/** What a call leaves this system for: the parts of `egress.allow` can be told apart by it. */
export type EgressPurpose = (typeof EGRESS_PURPOSES)[number];

interface Rule {
  network: Network;
  /** Undefined: every purpose. */
  purpose: EgressPurpose | undefined;
  /** Undefined: every port. */
  port: number | undefined;
}

const OPTION = 'egress.allow';

/** The entries of `egress.allow`: networks beside the public ones, each for one purpose or all, for one port or all. */
export class AllowedTargets {
  private readonly rules: readonly Rule[];

  /** @throws Error naming the entry that cannot be read, at start */
  constructor(entries: readonly string[]) {
    this.rules = entries.map(readRule);
  }

  /** The networks that calls for the purpose may reach at the port. */
  networksFor(purpose: EgressPurpose, port: number): Network[] {
    return this.matching(purpose, port).map(({ network }) => network);
  }

  /** Those of them whose entry names the purpose: whoever may ask for such calls may read the answers, too. */
  networksNaming(purpose: EgressPurpose, port: number): Network[] {
    return this.matching(purpose, port).flatMap(rule => (rule.purpose === undefined ? [] : [rule.network]));
  }

  /** Whether an entry names the port. All ports that no entry names get the same result. */
  namesPort(port: number): boolean {
    return this.rules.some(rule => rule.port === port);
  }

  private matching(purpose: EgressPurpose, port: number): Rule[] {
    return this.rules.filter(rule => (rule.purpose ?? purpose) === purpose && (rule.port ?? port) === port);
  }
}

/** `webhooks=10.0.0.0/8:443`, `webhooks=[fd00::/8]:443`; the purpose and the port may be left out. */
function readRule(entry: string): Rule {
  const [, name, target = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(entry.trim()) ?? [];
  const [, network = target.trim(), port] =
    /^\[([^\]]*)\](?::(\d+))?$/.exec(target.trim()) ?? /^([\d./]+):(\d+)$/.exec(target.trim()) ?? [];
  return { network: readNetwork(network, entry), purpose: readPurpose(name, entry), port: readPort(port, entry) };
}

function readNetwork(network: string, entry: string): Network {
  try {
    const [read] = parseNetworks([network], OPTION);
    if (read) return read;
  } catch {
    // Said again below, with the whole entry and all that may stand in it.
  }
  throw new Error(
    `${OPTION}: ${JSON.stringify(entry)} is not a network; write it as 10.0.0.0/8, fd00::/8 or a single address, ` +
      'with a purpose or a port as webhooks=10.0.0.0/8:443 or webhooks=[fd00::/8]:443',
  );
}

function readPurpose(name: string | undefined, entry: string): EgressPurpose | undefined {
  if (name === undefined) return undefined;
  const purpose = EGRESS_PURPOSES.find(known => known === name.trim());
  if (purpose !== undefined) return purpose;
  throw new Error(
    `${OPTION}: ${JSON.stringify(entry)} names an unknown purpose; write ${EGRESS_PURPOSES.join('=…, ')}=…, ` +
      'or leave it out for all of them',
  );
}

function readPort(text: string | undefined, entry: string): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (port >= 1 && port <= 65_535) return port;
  throw new Error(`${OPTION}: ${JSON.stringify(entry)} has a port outside of 1 to 65535`);
}
