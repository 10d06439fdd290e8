import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import {
  addCustomer,
  putProvider,
  startGatewayStage,
  sum,
  type Customer,
  type GatewayStage,
} from './gateway.support.js';

const ROOT = '/v1beta/openai';
const KEY = 'sk-compatible-0123456789';
const USAGE = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

describe('a compatible provider with paths without /v1', () => {
  let stage: GatewayStage;
  let customer: Customer;
  let server: Server;
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const chat = { id: 'c-1', object: 'chat.completion', model: 'gemini-2.5-flash', choices: [], usage: USAGE };
      const models = { object: 'list', data: [{ id: 'gemini-2.5-flash' }] };
      request.resume().once('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(request.method === 'GET' ? models : chat));
      });
    });
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    stage = await startGatewayStage();
    customer = await addCustomer(stage);
    // On TCP, `listen` sets a port.
    const { port } = server.address() as AddressInfo;
    const base_url = `http://127.0.0.1:${port}${ROOT}`;
    const settings = { kind: 'openai_compatible', base_url, secrets: { api_key: KEY } };
    await putProvider(customer.call, 'google', stage.openai, settings);
  });
  afterAll(async () => {
    await stage?.close();
    server?.closeAllConnections();
    server?.close();
  });

  const client = (path: string): OpenAI => customer.openai({ baseURL: `${stage.app.url}/gateway/${path}` });
  const chat = (path: string) =>
    client(path).chat.completions.create({ model: 'gemini-2.5-flash', messages: [{ role: 'user', content: 'Hello' }] });

  it('is called at its own paths, and its calls are governed and counted', async () => {
    expect(await chat('google')).toMatchObject({ id: 'c-1' });
    expect((await client('google').models.list()).data).toEqual([{ id: 'gemini-2.5-flash' }]);
    expect(asked).toEqual([`POST ${ROOT}/chat/completions Bearer ${KEY}`, `GET ${ROOT}/models Bearer ${KEY}`]);
    const rows = await customer.usage(1);
    expect([sum(rows, 'total_input_tokens'), sum(rows, 'total_output_tokens')]).toEqual([9, 3]);
  });

  it.each(['openai', 'google/x', 'google/v2', 'google/..'])('has no path under %s', async path => {
    await expect(chat(path)).rejects.toMatchObject({ status: 404 });
    expect(stage.openai.totals.requests).toBe(0);
  });
});
