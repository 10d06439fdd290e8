import { randomFrom } from './random.js';

/** A person of the organization, with the usual requests of this person. */
export interface Person {
  readonly email: string;
  readonly name: string;
  readonly department: string;
  readonly country: string;
  readonly role: string;
  /** Number of requests on an ordinary working day. */
  readonly perDay: number;
  /** The models that the person uses, by weight. */
  readonly models: readonly (readonly [Model, number])[];
}

export interface Model {
  readonly provider: string;
  readonly model: string;
  /** Median numbers of tokens of a request. */
  readonly input: number;
  readonly output: number;
}

// Medians of chat and of code completion, from the public Azure inference traces of 2023.
const CHAT = { input: 1_020, output: 210 };
const CODE = { input: 1_930, output: 30 };

export const MODELS = {
  large: { provider: 'openai', model: 'gpt-4o', ...CHAT },
  small: { provider: 'openai', model: 'gpt-4o-mini', ...CHAT },
  reasoning: { provider: 'openai', model: 'o3', input: 1_400, output: 1_900 },
  coder: { provider: 'anthropic', model: 'claude-sonnet-4-5', ...CODE },
  fast: { provider: 'google', model: 'gemini-2.5-flash', ...CHAT },
  /** A model without a known price, so that reports have unpriced usage. */
  inHouse: { provider: 'acme', model: 'house-writer-1', ...CHAT },
} as const satisfies Record<string, Model>;

/** Nine departments of different sizes: 200 people. */
const DEPARTMENTS: readonly {
  name: string;
  people: number;
  models: readonly (readonly [Model, number])[];
}[] = [
  {
    name: 'Engineering',
    people: 72,
    models: [
      [MODELS.coder, 6],
      [MODELS.small, 2],
      [MODELS.reasoning, 1],
    ],
  },
  {
    name: 'Sales',
    people: 38,
    models: [
      [MODELS.large, 3],
      [MODELS.small, 4],
    ],
  },
  {
    name: 'Support',
    people: 27,
    models: [
      [MODELS.fast, 6],
      [MODELS.small, 2],
    ],
  },
  {
    name: 'Marketing',
    people: 18,
    models: [
      [MODELS.large, 4],
      [MODELS.inHouse, 2],
    ],
  },
  {
    name: 'Research',
    people: 16,
    models: [
      [MODELS.reasoning, 4],
      [MODELS.large, 2],
      [MODELS.coder, 2],
    ],
  },
  {
    name: 'Finance',
    people: 12,
    models: [
      [MODELS.small, 4],
      [MODELS.large, 1],
    ],
  },
  {
    name: 'Operations',
    people: 8,
    models: [
      [MODELS.fast, 2],
      [MODELS.small, 2],
    ],
  },
  { name: 'Legal', people: 5, models: [[MODELS.large, 3]] },
  {
    name: 'People',
    people: 4,
    models: [
      [MODELS.small, 3],
      [MODELS.inHouse, 1],
    ],
  },
];

const FIRST =
  'Ada Alan Amara Anil Aiko Bea Bruno Carla Chen Clara Dario Dilek Edda Elif Emre Farah Felix Gita Goran Hana Hugo Ines Ivan Jana Jonas Kaito Karla Lena Leo Lina Malik Mara Mateo Mei Mila Nadia Nils Noor Olga Omar Paula Priya Quentin Rania Ravi Rosa Samir Sofia Tariq Tessa Uma Viktor Wanda Xenia Yara Yusuf Zoe'.split(
    ' ',
  );
const LAST =
  'Abel Aydin Bauer Becker Brandt Costa Demir Dietrich Eriksen Fischer Fontana Garcia Haas Hoffmann Ito Jansen Kaya Keller Khan Kowalski Krause Lehmann Lindgren Lopez Meier Mendes Moreau Nakamura Nowak Okafor Olsen Patel Petrov Ricci Roth Santos Sato Schulz Silva Singh Sommer Tanaka Vogel Wagner Weber Yilmaz Zhang Zimmermann'.split(
    ' ',
  );

/**
 * Names with markup and special characters, which a page must show as text. No such name is the first in a list that is
 * sorted by name.
 */
const DIFFICULT_NAMES = [
  'Ines <img src=x onerror="alert(1)">',
  'مريم الخطيب',
  'Renard 🦊🧪 & Söhne',
  `Wolfeschlegelsteinhausenbergerdorff ${'Hubert Blaine '.repeat(16)}`.slice(0, 255).trim(),
  `Robin "); drop table users; --`,
  'Sam \u202Egnp.exe',
];

/**
 * Number of requests of the busiest person on a working day. By Zipf's law, the busiest 5 % of 200 people then send
 * half of all requests.
 */
const BUSIEST = 2_400;

/** All people. The busiest person of a department is not always its first. */
export function makePeople(): Person[] {
  const random = randomFrom(20_261_101);
  const seats = DEPARTMENTS.flatMap(department => Array.from({ length: department.people }, () => department));
  // Random ranks for all people.
  const lots = seats.map(() => random.next());
  const ranks = lots.map(lot => 1 + lots.filter(other => other < lot).length);
  const taken = new Set<string>();
  return seats.map((department, at) => {
    const name = at % 33 === 32 ? difficult(at) : newName();
    const email = at % 33 === 32 ? `difficult.${(at - 32) / 33 + 1}@acme.example` : `${slug(name)}@acme.example`;
    const country = random.weighted([
      ['DE', 6],
      ['FR', 2],
      ['PL', 1],
      ['US', 2],
    ]);
    const role = random.weighted([
      ['employee', 9],
      ['contractor', 1],
    ]);
    const perDay = BUSIEST / (ranks[at] ?? seats.length);
    return { email, name, department: department.name, country, role, perDay, models: department.models };
  });

  function newName(): string {
    for (;;) {
      const name = `${random.pick(FIRST)} ${random.pick(LAST)}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  }
}

function difficult(at: number): string {
  return DIFFICULT_NAMES[(at - 32) / 33] ?? 'Nobody';
}

function slug(name: string): string {
  return name.toLowerCase().replace(' ', '.');
}
