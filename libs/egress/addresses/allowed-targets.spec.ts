import { describe, expect, it } from '@jest/globals';
import { AllowedTargets, EGRESS_PURPOSES, type EgressPurpose } from './allowed-targets.js';
import { whyRefused } from './address-verdict.js';

const passes = (entry: string, purpose: EgressPurpose, address: string, port: number): boolean =>
  whyRefused(address, new AllowedTargets([entry]).networksFor(purpose, port)) === undefined;

describe('AllowedTargets', () => {
  it('applies an entry without purpose and port to every purpose and every port', () => {
    for (const purpose of EGRESS_PURPOSES) {
      expect(passes('10.0.0.0/8', purpose, '10.1.2.3', 443)).toBe(true);
      expect(passes('fd00::/8', purpose, 'fd00::1', 8443)).toBe(true);
    }
  });

  it.each([
    ['webhooks=10.0.0.0/8:443', 'webhooks', '10.1.2.3', 443, true],
    ['webhooks=10.0.0.0/8:443', 'webhooks', '10.1.2.3', 8443, false],
    ['webhooks=10.0.0.0/8:443', 'tickets', '10.1.2.3', 443, false],
    [' tickets = 10.0.0.7 ', 'tickets', '10.0.0.7', 9443, true],
    ['10.0.0.7:9443', 'chat', '10.0.0.7', 9443, true],
    ['10.0.0.7:9443', 'chat', '10.0.0.7', 443, false],
    ['webhooks=[fd00::/8]:443', 'webhooks', 'fd00::1', 443, true],
    ['webhooks=[fd00::/8]:443', 'webhooks', 'fd00::1', 444, false],
    ['[fd00::1]:443', 'tickets', 'fd00::1', 443, true],
    ['[fd00::1]', 'tickets', 'fd00::1', 1, true],
    ['chat=fd00::1', 'chat', 'fd00::1', 1, true],
    ['chat=::1', 'chat', '::1', 443, true],
  ] as const)('reads %s: for %s, %s at port %d is %s', (entry, purpose, address, port, isAllowed) => {
    expect(passes(entry, purpose, address, port)).toBe(isAllowed);
  });

  it('applies a purpose only through entries that name it', () => {
    const allowed = new AllowedTargets(['10.0.0.0/8', 'webhooks=10.1.0.0/16:443']);
    expect(allowed.networksNaming('webhooks', 443)).toHaveLength(1);
    expect(allowed.networksNaming('webhooks', 444)).toEqual([]);
    expect(allowed.networksNaming('tickets', 443)).toEqual([]);
  });

  it.each([
    ['web=10.0.0.0/8', 'names an unknown purpose; write webhooks=…, tickets=…, chat=…'],
    ['=10.0.0.0/8', 'names an unknown purpose'],
    ['webhooks=', 'is not a network'],
    ['webhooks=10.0.0.0/33:443', 'is not a network'],
    ['webhooks=fd00::/8:443', 'or webhooks=[fd00::/8]:443'],
    ['webhooks=[fd00::]/8:443', 'is not a network'],
    ['webhooks=10.0.0.0/8:', 'is not a network'],
    ['webhooks=10.0.0.0/8:https', 'is not a network'],
    ['10.0.0.0/8:0', 'has a port outside of 1 to 65535'],
    ['10.0.0.0/8:65536', 'has a port outside of 1 to 65535'],
    ['constructor=10.0.0.0/8', 'names an unknown purpose'],
  ])('refuses %s at start', (entry, message) => {
    expect(() => new AllowedTargets(['10.0.0.0/8', entry])).toThrow(`egress.allow: ${JSON.stringify(entry)} `);
    expect(() => new AllowedTargets([entry])).toThrow(message);
  });
});
