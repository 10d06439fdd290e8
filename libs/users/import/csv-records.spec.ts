import { describe, expect, it } from '@jest/globals';
import { csvRecords, type CsvSource } from './csv-records.js';
import type { CsvRecord } from './record-splitter.js';

async function read(source: CsvSource): Promise<CsvRecord[]> {
  const records: CsvRecord[] = [];
  for await (const record of csvRecords(source)) records.push(record);
  return records;
}

const linesOf = async (text: string): Promise<string[]> =>
  (await read([text])).map(({ line, cells, fault }) => `${line}: ${fault ?? cells.join('|')}`);

describe('records of a CSV file', () => {
  it.each([
    ['\n', 'as on Unix'],
    ['\r\n', 'as on Windows'],
    ['\r', 'as on old Macs'],
  ])('end at %j, %s', async end => {
    const text = ['email,name', 'a@x.example,Ada', '', 'b@x.example,Bob', ''].join(end);
    expect(await linesOf(text)).toEqual(['1: email|name', '2: a@x.example|Ada', '4: b@x.example|Bob']);
  });

  it.each([',', ';', '\t'])('are separated by %j if the first line is', async delimiter => {
    const text = `email${delimiter}name\na@x.example${delimiter}"Ada, Countess; of\tLovelace"\n`;
    expect(await linesOf(text)).toEqual(['1: email|name', '2: a@x.example|Ada, Countess; of\tLovelace']);
  });

  it('begin after a byte order mark and empty lines', async () => {
    expect(await linesOf('\uFEFF\n\nemail;name\n')).toEqual(['3: email|name']);
    expect((await read([Buffer.from('\uFEFFemail,name\n')]))[0]?.cells).toEqual(['email', 'name']);
  });

  it('have line numbers that count line breaks in quotes, by their first line', async () => {
    const text = 'email,name\r\na@x.example,"Ada\r\nLovelace"\r\nb@x.example,Bob\r\n';
    expect(await linesOf(text)).toEqual(['1: email|name', '2: a@x.example|Ada\nLovelace', '4: b@x.example|Bob']);
  });

  it('may arrive in chunks of any size, split within characters and line ends', async () => {
    const text = 'email,name\r\nö@x.example,"Ödön ""the"" Éva"\r\nb@x.example,Bob\r\n';
    const bytes = [...Buffer.from(text)].map(byte => Uint8Array.of(byte));
    expect(await read(bytes)).toEqual(await read([text]));
    const smile = 'email,name\r\na@x.example,😀\r\n';
    expect(await read(smile.split(''))).toEqual(await read([smile]));
    expect((await read([text]))[1]?.cells).toEqual(['ö@x.example', 'Ödön "the" Éva']);
  });

  it('that cannot be read are reported in order, and the others are read', async () => {
    const text = 'email,name\na@x.example,Ada "A" L\nb@x.example,Bob\nc@x.example,"Cy"d"\nd@x.example,Dot\n';
    expect(await linesOf(text)).toEqual([
      '1: email|name',
      '2: has a quote inside a value; quote the whole value, and double the quote',
      '3: b@x.example|Bob',
      '4: has a quote inside a quoted value; double it',
      '5: d@x.example|Dot',
    ]);
  });

  it('are read up to a quote that is never closed', async () => {
    expect(await linesOf('email,name\na@x.example,Ada\nb@x.example,"Bob\nc@x.example,Cy\n')).toEqual([
      '1: email|name',
      '2: a@x.example|Ada',
      '3: opens a quote that is never closed, so that nothing from here on can be read',
    ]);
  });

  it('are none in an empty file', async () => {
    expect(await linesOf('')).toEqual([]);
    expect(await linesOf('\r\n  \r\n')).toEqual([]);
  });

  it('are refused in another encoding', async () => {
    await expect(read([Buffer.from('email,name\na@x.example,J\xfcrgen\n', 'latin1')])).rejects.toThrow('not in UTF-8');
  });
});
