import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A query type that the server supports. Other types are answered without records. */
export type DnsType = 'A' | 'AAAA';

/**
 * The answer for a name. The server leaves out addresses of the other family, so a list can contain both. An empty list
 * means that the name exists without such addresses. `silent` never answers.
 */
export type DnsAnswer = readonly string[] | 'nxdomain' | 'servfail' | 'silent';

/**
 * Chooses an answer. The name is in lower case without a final dot. `n` counts queries of the name and type, beginning
 * with 1.
 */
export type DnsScript = (name: string, type: DnsType, n: number) => DnsAnswer;

/** A DNS server on loopback with the answers of a test. */
export interface DnsServer {
  /** `127.0.0.1:port`, the format of `dns.Resolver.setServers`. */
  readonly address: string;
  /** Every query so far. */
  readonly questions: readonly { name: string; type: DnsType }[];
  /** The number of queries for a name, of one type or of both. */
  count(name: string, type?: DnsType): number;
  /** Switches to another script. The counts continue. */
  answer(script: DnsScript): void;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<number, DnsType>> = { 1: 'A', 28: 'AAAA' };
const CODES = { nxdomain: 3, servfail: 2 };

/** Starts a server on a free UDP port of 127.0.0.1. Its answers must not be cached (TTL 0). Format: RFC 1035, 4. */
export async function startDnsServer(script: DnsScript): Promise<DnsServer> {
  let current = script;
  const questions: { name: string; type: DnsType }[] = [];
  const counts = new Map<string, number>();
  const countOf = (name: string, type: DnsType): number => counts.get(`${type} ${name}`) ?? 0;
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const question = readQuestion(message);
    if (question === undefined) return;
    const type = TYPES[question.type];
    let answer: DnsAnswer = [];
    if (type !== undefined) {
      const n = countOf(question.name, type) + 1;
      counts.set(`${type} ${question.name}`, n);
      questions.push({ name: question.name, type });
      answer = current(question.name, type, n);
    }
    if (answer !== 'silent') socket.send(encodeAnswer(message, question, answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    count: (name, type) => (type === undefined ? countOf(name, 'A') + countOf(name, 'AAAA') : countOf(name, type)),
    answer: next => {
      current = next;
    },
    close: () => new Promise(done => socket.close(() => done())),
  };
}

interface Question {
  name: string;
  type: number;
  /** The end of the question section in the message. */
  end: number;
}

/** Reads a query. Undefined if the message is not a query with a question. */
function readQuestion(message: Buffer): Question | undefined {
  if (message.length < 17 || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  if (at + 5 > message.length) return undefined;
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}

function encodeAnswer(query: Buffer, question: Question, answer: Exclude<DnsAnswer, 'silent'>): Buffer {
  const matches = TYPES[question.type] === 'A' ? isIPv4 : isIPv6;
  const addresses = typeof answer === 'string' ? [] : answer.filter(address => matches(address));
  // Copies the question byte by byte, because resolvers compare upper and lower case.
  const head = Buffer.from(query.subarray(0, question.end));
  // Flags: response, authoritative, recursion desired and available.
  head.writeUInt16BE(0x8580 | (typeof answer === 'string' ? CODES[answer] : 0), 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt16BE(0, 8);
  head.writeUInt16BE(0, 10);
  return Buffer.concat([head, ...addresses.map(address => encodeRecord(question.type, address))]);
}

function encodeRecord(type: number, address: string): Buffer {
  const data = Buffer.from(ipaddr.parse(address).toByteArray());
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // The name in an answer is a pointer to the name of the question in the message.
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
