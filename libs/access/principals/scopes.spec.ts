import { describe, expect, it } from '@jest/globals';
import { effectiveScopes, ROLE_SCOPES, ROLES, SCOPES } from './scopes.js';

describe('roles', () => {
  it('admin may do everything', () => {
    expect(effectiveScopes('admin', null)).toEqual([...SCOPES]);
  });

  it('auditor reads everything and changes nothing', () => {
    expect(effectiveScopes('auditor', null)).toEqual(SCOPES.filter(scope => scope.endsWith(':read')));
    expect(ROLE_SCOPES.auditor.filter(scope => scope.includes('write'))).toEqual([]);
  });

  it('agent decides, reports usage and calls providers, and reads nothing', () => {
    expect(effectiveScopes('agent', null)).toEqual(['decisions:write', 'usage:write', 'gateway:call']);
  });

  it('member sees only their own data, and calls providers', () => {
    const others = effectiveScopes('member', null).filter(scope => !scope.endsWith(':own'));
    expect(others).toEqual(['gateway:call']);
  });

  it('a narrower choice only removes scopes', () => {
    expect(effectiveScopes('agent', ['usage:write', 'policies:write', 'nonsense'])).toEqual(['usage:write']);
    expect(effectiveScopes('agent', [])).toEqual([]);
  });

  it('an unknown role of another version grants nothing', () => {
    expect(['root', '', 'constructor', '__proto__'].flatMap(role => effectiveScopes(role, null))).toEqual([]);
  });

  it('grant only existing scopes', () => {
    const known = new Set<string>(SCOPES);
    expect(ROLES.flatMap(role => ROLE_SCOPES[role]).filter(scope => !known.has(scope))).toEqual([]);
  });
});
