import { describe, expect, it } from '@jest/globals';
import { AuditStream } from '../../libs/siem/stream/audit-stream.js';
import { SecuritySpool } from '../../libs/siem/spool/security-spool.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { startTestApp } from '../support/test-app.js';
import { KeptSink, violate } from './audit-stream.support.js';

describe('an app without a sink', () => {
  it('stores no records, and has no job for them', async () => {
    const app = await startTestApp();
    try {
      await app.as('x'.repeat(40))('GET', '/v1/policies');
      await violate(app.call, 1);
      expect((await app.call('GET', '/v1/incidents')).body.items).toHaveLength(1);
      expect(await app.app.get(AuditStream, { strict: false }).send()).toBe(0);
      expect(await app.app.get(SecuritySpool, { strict: false }).flush()).toBe(0);
      expect(await app.database.asOwner('select 1 from governance.siem_records')).toEqual([]);
      expect(await app.database.asOwner('select 1 from governance.siem_streams')).toEqual([]);
    } finally {
      await app.close();
    }
  });

  it.each(['', 'A Name', 'x'.repeat(41)])('refuses to boot if a host’s sink is called "%s"', async name => {
    const sink = Object.assign(new KeptSink(), { name });
    const database = await createMigratedDatabase();
    try {
      const start = startTestApp({ auditSink: { useValue: sink }, testDatabase: database });
      await expect(start).rejects.toThrow('auditSink: name must be');
    } finally {
      await database.drop();
    }
  });

  it('refuses to boot if a host gives a sink and options of another, one of which would have no effect', async () => {
    const database = await createMigratedDatabase();
    try {
      const siem = { url: 'https://collector.example.com', token: 'hunter2' };
      const start = startTestApp({ auditSink: { useValue: new KeptSink() }, siem, testDatabase: database });
      await expect(start).rejects.toThrow('auditSink: stands beside siem.url, which would have no effect');
    } finally {
      await database.drop();
    }
  });
});
