import { type Network, parseNetworks } from './network.js';

/** Purposes of outbound calls. */
export const EGRESS_PURPOSES = ['webhooks', 'tickets', 'chat', 'gateway', 'audit'] as const;

/** Purpose of an outbound call. Entries of `egress.allow` may be limited to one purpose. */
export type EgressPurpose = (typeof EGRESS_PURPOSES)[number];

interface Rule {
  network: Network;
  /** Undefined: the rule applies to every purpose. */
  purpose: EgressPurpose | undefined;
  /** Undefined: the rule applies to every port. */
  port: number | undefined;
}

const OPTION = 'egress.allow';

/**
 * The entries of `egress.allow`: networks that are allowed in addition to public addresses. Each entry applies to one
 * purpose or all, and to one port or all.
 */
export class AllowedTargets {
  private readonly rules: readonly Rule[];

  /** @throws Error at the start of the app that names an invalid entry */
  constructor(entries: readonly string[]) {
    this.rules = entries.map(readRule);
  }

  /** The networks that calls of this purpose may reach at this port. */
  networksFor(purpose: EgressPurpose, port: number): Network[] {
    return this.matching(purpose, port).map(({ network }) => network);
  }

  /**
   * The networks of entries that name the purpose explicitly. For these, the people who configure the calls may see the
   * responses.
   */
  networksNaming(purpose: EgressPurpose, port: number): Network[] {
    return this.matching(purpose, port).flatMap(rule => (rule.purpose === undefined ? [] : [rule.network]));
  }

  /** Whether an entry names the port. All ports that no entry names have the same rules. */
  namesPort(port: number): boolean {
    return this.rules.some(rule => rule.port === port);
  }

  private matching(purpose: EgressPurpose, port: number): Rule[] {
    return this.rules.filter(rule => (rule.purpose ?? purpose) === purpose && (rule.port ?? port) === port);
  }
}

/** Parses an entry such as `webhooks=10.0.0.0/8:443` or `webhooks=[fd00::/8]:443`. Purpose and port are optional. */
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
    // The error below contains the whole entry and the valid forms.
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
