import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../../test/support/test-app.js';

describe('POST /v1/users/import', () => {
  let test: TestApp;
  let orgId: string;
  let call: Call;

  beforeAll(async () => {
    test = await startTestApp();
  });

  afterAll(() => test.close());

  async function newOrganization(): Promise<void> {
    ({ orgId, call } = await test.addOrganization());
  }

  async function send(
    text: string | Uint8Array,
    query = '',
    headers = { 'content-type': 'text/csv' },
  ): Promise<Answer> {
    return call('POST', `/v1/users/import${query}`, text, headers);
  }

  const csv = (...lines: string[]): string => `${lines.join('\r\n')}\r\n`;
  const outcomes = ({ body }: Answer): string[] =>
    body.lines.map(({ line, outcome }: { line: number; outcome: string }) => `${line} ${outcome}`);
  const people = async (): Promise<Answer['body'][]> => (await call('GET', '/v1/users?limit=100')).body.items;

  it('creates, updates and keeps users as their lines say, and reports every line', async () => {
    await newOrganization();
    await call('POST', '/v1/users', { email: 'bob@x.example', name: 'Bob', department: 'Sales' });
    await call('POST', '/v1/users', { email: 'Cyd@x.example', name: 'Cyd', role: 'lead' });
    const answer = await send(
      csv(
        'email,name,department,role,status',
        'ada@x.example,"Lovelace, Ada",Engineering,admin,inactive',
        'BOB@x.example,Robert,,member,',
        'Cyd@x.example,Cyd,,lead,active',
      ),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: { dry_run: false, created: 1, updated: 1, unchanged: 1, refused: 0 },
    });
    expect(answer.body.lines).toEqual([
      { line: 2, email: 'ada@x.example', outcome: 'created', errors: [] },
      { line: 3, email: 'BOB@x.example', outcome: 'updated', errors: [] },
      { line: 4, email: 'Cyd@x.example', outcome: 'unchanged', errors: [] },
    ]);
    expect(await people()).toMatchObject([
      { name: 'Cyd', role: 'lead', status: 'active' },
      { name: 'Lovelace, Ada', department: 'Engineering', role: 'admin', status: 'inactive' },
      { name: 'Robert', email: 'BOB@x.example', department: null, role: 'member', status: 'active' },
    ]);
  });

  it('changes nothing the second time, without an audit entry', async () => {
    await newOrganization();
    const text = csv(
      'email;name;attributes.level:number',
      ...Array.from({ length: 30 }, (_, n) => `p${n}@x.example;P;${n}`),
    );
    expect((await send(text)).body).toMatchObject({ created: 30 });
    const before = await people();
    test.clock.advance(60_000);
    expect((await send(text)).body).toMatchObject({ created: 0, updated: 0, unchanged: 30, refused: 0 });
    expect(await people()).toEqual(before);
    const entries = await test.database.asOwner(
      `select 1 from governance.audit_log where org_id = $1 and action = 'user.imported'`,
      [orgId],
    );
    expect(entries).toHaveLength(1);
  });

  it('reports every error of a line by its column, and imports the other lines', async () => {
    await newOrganization();
    const answer = await send(
      csv(
        'email,name,role,status,attributes.level:number,attributes.remote:boolean',
        'nobody,,member,gone,seven,perhaps',
        'ada@x.example,Ada,member,active,7,TRUE',
        'bob@x.example,,member,,,',
        'cyd@x.example',
        'dot@x.example,Dot,member,,,,surplus',
        'eve@x.example,Eve "E",member,,,',
        `fay@x.example,${'x'.repeat(256)},member,,,`,
        ',Gus,member,,,',
        'hal@x.example,Hal,member,suspended,,',
      ),
    );
    const faults = Object.fromEntries(
      answer.body.lines.map(({ line, errors }: Answer['body']) => [
        line,
        errors.map((error: { field: string }) => error.field),
      ]),
    );
    expect(faults).toEqual({
      2: ['attributes.level', 'attributes.remote', 'email', 'name', 'status'],
      3: [],
      4: ['name'],
      5: ['line'],
      6: ['line'],
      7: ['line'],
      8: ['name'],
      9: ['email'],
      10: ['status'],
    });
    expect(answer.body).toMatchObject({ created: 1, refused: 8 });
    expect(await people()).toMatchObject([{ name: 'Ada', attributes: { level: 7, remote: true } }]);
  });

  it('uses the first of two lines about one user, and refers to it in the other', async () => {
    await newOrganization();
    const answer = await send(csv('email,name', 'ada@x.example,Ada', 'bob@x.example,Bob', 'ADA@x.example,Imposter'));
    expect(outcomes(answer)).toEqual(['2 created', '3 created', '4 refused']);
    expect(answer.body.lines[2].errors).toEqual([{ field: 'email', message: 'is already on line 2' }]);
    expect((await people()).map(({ name }) => name)).toEqual(['Ada', 'Bob']);
  });

  it('reports in a dry run the result of each line, and changes nothing', async () => {
    await newOrganization();
    await call('POST', '/v1/users', { email: 'bob@x.example', name: 'Bob' });
    const text = csv('email,name', 'ada@x.example,Ada', 'bob@x.example,Robert', 'nobody,No');
    const dry = await send(text, '?dry_run=true');
    expect(dry.body).toMatchObject({ dry_run: true, created: 1, updated: 1, refused: 1 });
    expect((await people()).map(({ name }) => name)).toEqual(['Bob']);
    const real = await send(text);
    expect(real.body).toEqual({ ...dry.body, dry_run: false });
  });

  it('refuses existing users if it may only create', async () => {
    await newOrganization();
    await call('POST', '/v1/users', { email: 'bob@x.example', name: 'Bob' });
    const answer = await send(csv('email,name', 'ada@x.example,Ada', 'bob@x.example,Bob'), '?mode=create');
    expect(outcomes(answer)).toEqual(['2 created', '3 refused']);
    expect(answer.body.lines[1].errors).toMatchObject([{ field: 'email' }]);
  });

  it('keeps fields without a column, and removes attributes with empty cells', async () => {
    await newOrganization();
    const attributes = { level: 7, team: 'red', kept: null };
    await call('POST', '/v1/users', {
      email: 'bob@x.example',
      name: 'Bob',
      department: 'Sales',
      role: 'lead',
      attributes,
    });
    const answer = await send(csv('Email,attributes.team,ATTRIBUTES.level', 'bob@x.example,,007'));
    expect(outcomes(answer)).toEqual(['2 updated']);
    const [bob] = await people();
    expect(bob).toMatchObject({ name: 'Bob', department: 'Sales', role: 'lead' });
    expect(bob.attributes).toEqual({ level: '007', kept: null });
  });

  it('refuses the same values as the API: an attribute __proto__, and addresses with invisible characters', async () => {
    await newOrganization();
    const answer = await send(
      csv(
        'email,name,attributes.__proto__',
        'ada@x.example,Ada,admin',
        'bob@x.example,Bob,',
        'c\u200byd@x.example,Cyd,',
      ),
    );
    expect(outcomes(answer)).toEqual(['2 refused', '3 created', '4 refused']);
    expect(answer.body.lines[0].errors).toMatchObject([{ field: 'attributes' }]);
    expect(answer.body.lines[2].errors).toMatchObject([{ field: 'email' }]);
  });

  it('lifts no suspension, and suspends no user', async () => {
    await newOrganization();
    const { id } = (await call('POST', '/v1/users', { email: 'bob@x.example', name: 'Bob' })).body;
    await call('POST', `/v1/users/${id}/offboard`);
    const lines = (status: string): string => csv('email,name,status', `bob@x.example,Robert,${status}`);
    const answer = await send(lines('active'));
    expect(answer.body.lines[0]).toMatchObject({ outcome: 'refused', errors: [{ field: 'status' }] });
    expect((await send(lines('Suspended'))).body).toMatchObject({ updated: 1 });
    expect(await people()).toMatchObject([{ name: 'Robert', status: 'suspended' }]);
  });

  it('affects decisions at once', async () => {
    await newOrganization();
    const ask = (): Promise<Answer> =>
      call('POST', '/v1/decisions', { user_email: 'ada@x.example', provider: 'openai', model: 'gpt-4o' });
    expect((await ask()).body.reason).toBe('unknown_user');
    await send(csv('email,name', 'ada@x.example,Ada'));
    expect((await ask()).body.reason).toBe('no_policy_matched');
  });

  it('imports a thousand lines per transaction, with the changes in the audit log', async () => {
    await newOrganization();
    const lines = (name: string): string =>
      csv('email,name', ...Array.from({ length: 2_500 }, (_, n) => `p${n}@x.example,${n === 7 ? name : 'P'}`));
    expect((await send(lines('P'))).body).toMatchObject({ created: 2_500 });
    expect((await send(lines('Seven'))).body).toMatchObject({ updated: 1, unchanged: 2_499 });
    const rows = await test.database.asOwner<{ before: Answer['body']; after: Answer['body'] }>(
      `select before, after from governance.audit_log where org_id = $1 and action = 'user.imported' order by seq`,
      [orgId],
    );
    expect(rows.map(({ after }) => after.user_ids?.length)).toEqual([1_000, 1_000, 500, undefined]);
    expect(Object.values(rows[3]?.before.updated)).toEqual([{ name: 'P' }]);
    expect(Object.values(rows[3]?.after.updated)).toEqual([{ name: 'Seven' }]);
  });

  it.each([
    ['an unknown column', 'email,nickname', 'nickname'],
    ['a repeated column', 'email,name,Name', 'Name'],
    ['no e-mail address', 'name,department', 'email'],
    ['nothing', '', 'header'],
    ['a quotation mark that is never closed', '"email,name', 'header'],
  ])('refuses a file with %s in its header line, before any change', async (_what, header, field) => {
    await newOrganization();
    const answer = await send(`${header}\r\nada@x.example,Ada,x\r\n`.replace(/^\r\n.*/s, ''));
    expect(answer).toMatchObject({ status: 400, body: { error: 'bad_request', details: [{ field }] } });
    expect(await people()).toEqual([]);
  });

  it.each(['dry_run=yes', 'mode=replace', 'limit=3'])('refuses ?%s with 400', async query => {
    await newOrganization();
    const answer = await send(csv('email,name'), `?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: query.split('=')[0] }] } });
  });

  it('refuses other content with 415, too much with 413, and other encodings with 400', async () => {
    await newOrganization();
    expect((await send('{}', '', { 'content-type': 'application/json' })).status).toBe(415);
    expect((await send('email', '', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send(`email,name\n${'x'.repeat(5 * 1024 * 1024)}`)).status).toBe(413);
    expect((await send(Buffer.from('email,name\na@x.example,J\xfcrgen', 'latin1'))).status).toBe(400);
  });

  it('needs the scope users:write', async () => {
    const auditor = await test.addToken('auditor');
    const answer = await auditor.call('POST', '/v1/users/import', 'email\n', { 'content-type': 'text/csv' });
    expect(answer.status).toBe(403);
  });
});
