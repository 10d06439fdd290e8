import { describe, expect, it } from '@jest/globals';
import { AcmeDeskAdapter } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import { acmeDeskGround } from '../../apps/examples/docs-snippets/src/acme-desk/acme-desk.contract.js';
import * as forms from '../../test/support/itsm/broken-forms.js';
import * as outcomes from '../../test/support/itsm/broken-outcomes.js';
import * as memories from '../../test/support/itsm/broken-memories.js';
import * as searches from '../../test/support/itsm/broken-searches.js';
import * as calls from '../../test/support/itsm/broken-calls.js';
import * as modest from '../../test/support/itsm/modest-adapters.js';
import { itsmAdapterContract } from './index.js';

async function failuresOf(Adapter: new () => AcmeDeskAdapter, foundWithinMs = 0): Promise<string[]> {
  const failures: string[] = [];
  for (const { title, run } of itsmAdapterContract(() => ({ ...acmeDeskGround(() => new Adapter()), foundWithinMs }))) {
    await run().catch(() => failures.push(title));
  }
  return failures;
}

const ADDRESSES = 'refuses addresses that are none by its schema, before anything is asked of it';
const NO_WORD = 'throws where the platform does not say, and never answers that nothing is there';
const NO_ANSWER = 'throws where the answer to a search is lost';
const NOT_GONE = 'throws where the platform does not say where a ticket stands, and never answers that it is gone';
const NO_TICKET = 'takes no refusal for a ticket, though a ticket is named in it';
const FRAGMENT = 'takes an answer that breaks off for a failure that passes, and pauses nothing for it';
const ERROR_FIRST = 'looks at the error before the result, where a success tells of a failure';
const NEWEST = 'gives the newest first where two tickets have one key';
const APART = 'keeps connectors apart: each call uses the addresses and the secrets that it was given';

/** What an adapter does, and which rules it fails: those of a list and no others, or one among many. */
type Case = [what: string, Broken: new () => AcmeDeskAdapter, titles: string[] | string];

const BROKEN: Case[] = [
  [
    'has a kind that is no word',
    forms.Shouting,
    ['has a kind and a title by which people and stored connectors know it'],
  ],
  [
    'takes secrets of any form',
    forms.OpenToAnything,
    [
      'has schemas of settings and secrets that are JSON Schemas, that its own fit, and that refuse what is none of them',
    ],
  ],
  [
    'has a schema that is none',
    forms.Misspelt,
    [
      'has schemas of settings and secrets that are JSON Schemas, that its own fit, and that refuse what is none of them',
      ADDRESSES,
      APART,
    ],
  ],
  [
    'names a path as its origin',
    forms.WithPath,
    [
      'names its origins as https://host[:port]',
      'takes a login and a page in place of data for final, and sends nothing on',
      'calls its origins only, over https:, in all that it does',
      APART,
    ],
  ],
  ['takes anything for an address', forms.AnyAddress, [ADDRESSES]],
  [
    'renders the time',
    forms.Dated,
    ['renders without any other source than the draft and the settings, and changes neither'],
  ],
  [
    'changes the draft',
    forms.Scribbling,
    ['renders without any other source than the draft and the settings, and changes neither'],
  ],
  [
    'shows a summary of the payload',
    forms.Summarizing,
    [
      'shows and sends the whole payload, the link, and labels where it has them',
      'keeps within the limits of the platform, by whole characters, with a mark where it cut, and with the link',
    ],
  ],
  [
    'leaves the link out',
    forms.WithoutLink,
    [
      'shows and sends the whole payload, the link, and labels where it has them',
      'keeps within the limits of the platform, by whole characters, with a mark where it cut, and with the link',
    ],
  ],
  ['sends no labels', forms.WithoutTags, ['shows and sends the whole payload, the link, and labels where it has them']],
  [
    'cuts characters in half',
    forms.CutInHalf,
    ['keeps within the limits of the platform, by whole characters, with a mark where it cut, and with the link'],
  ],
  [
    'cuts without a mark',
    forms.CutInSilence,
    ['keeps within the limits of the platform, by whole characters, with a mark where it cut, and with the link'],
  ],
  [
    'sends more than the platform takes',
    forms.TooLong,
    ['keeps within the limits of the platform, by whole characters, with a mark where it cut, and with the link'],
  ],
  [
    'folds line breaks only',
    forms.Unfolded,
    ['folds what breaks, hides or turns a line of the title, and keeps its words'],
  ],
  ['takes medium for high', forms.LevelHeaded, ['tells all four severities apart, as its author says']],
  [
    'shows a ticket without encryption',
    outcomes.Unencrypted,
    ['creates a ticket by one request, and says what it is called and where it is'],
  ],
  ['creates twice', outcomes.Doubling, 'creates a ticket by one request, and says what it is called and where it is'],
  [
    'tries again by itself',
    outcomes.Impatient,
    [
      'takes a create for uncertain where the answer was lost',
      'tries again where the connection was refused',
      'finds what was created though nobody heard of it',
    ],
  ],
  [
    'takes a lost answer for a failure',
    outcomes.Careless,
    ['takes a create for uncertain where the answer was lost', 'finds what was created though nobody heard of it'],
  ],
  ['takes a refused connection for a doubt', outcomes.Anxious, ['tries again where the connection was refused']],
  [
    'takes a 500 for a failure',
    outcomes.TrustingIn500,
    ['takes a create for uncertain where the platform failed, whether the ticket is there or not'],
  ],
  [
    'believes any 201',
    outcomes.Believing,
    [
      'takes a create for uncertain where the success names no ticket',
      'survives answers of any form, and takes none of them for a ticket',
    ],
  ],
  [
    'asks first and lets it fail',
    outcomes.AskingFirst,
    ['never takes for uncertain what failed before the create was sent'],
  ],
  ['does not read Retry-After', outcomes.Restless, ['waits as long as the platform asks for']],
  ['reads Retry-After as a number only', outcomes.Counting, ['waits as long as the platform asks for']],
  [
    'tries refused credentials again',
    outcomes.HopefulOf401,
    ['takes credentials that are refused for final, as `auth`'],
  ],
  [
    'tries again what it may not do',
    outcomes.HopefulOf403,
    ['takes what the account may not do for final, as `forbidden`'],
  ],
  ['tries again where nothing is', outcomes.HopefulOf404, ['takes any other refusal for final']],
  ['takes any answer that names a ticket for one', outcomes.BelievingRefusals, [NO_TICKET]],
  ...[403, 409].map((status): Case => [
    `takes a ${status} that names a ticket for one`,
    outcomes.believing(status),
    [NO_TICKET],
  ]),
  ['names no field', outcomes.Nameless, ['names the field that the platform refuses']],
  [
    'takes a page for a doubt',
    outcomes.Doubtful,
    ['takes a login and a page in place of data for final, and sends nothing on'],
  ],
  [
    'follows redirects',
    calls.Following,
    [
      'takes a login and a page in place of data for final, and sends nothing on',
      'calls its origins only, over https:, in all that it does',
    ],
  ],
  [
    'stumbles over odd answers',
    outcomes.Stumbling,
    [
      'takes any other refusal for final',
      'takes a login and a page in place of data for final, and sends nothing on',
      'survives answers of any form, and takes none of them for a ticket',
    ],
  ],
  ['remembers a refusal', outcomes.Sulking, ['leaves nothing behind from an attempt that failed']],
  [
    'waits for minutes',
    calls.Leisurely,
    [
      'never takes for uncertain what failed before the create was sent',
      'takes at most 30 seconds for a create in all',
    ],
  ],
  [
    'finds more than it was asked for',
    memories.FindingMore,
    ['finds by its key what it created, and nothing else', 'finds nothing by keys that are queries'],
  ],
  [
    'finds by memory',
    memories.Remembering,
    [
      'finds what was created though nobody heard of it',
      NEWEST,
      'keeps nothing that a crash would lose: another instance finds and reads the ticket',
    ],
  ],
  [
    'reads keys leniently',
    memories.Lenient,
    ['finds by its key what it created, and nothing else', 'finds nothing by keys that are queries'],
  ],
  ['takes trouble for absence', memories.SayingNothing, [NO_WORD, NO_ANSWER, FRAGMENT, ERROR_FIRST]],
  ...[400, 410, 422, 502].map((status): Case => [
    `takes a ${status} for absence`,
    searches.nothingAt(status),
    [NO_WORD],
  ]),
  ['takes an error that comes as a success for absence', searches.NothingInErrors, [NO_WORD]],
  ['takes a refused connection for absence', searches.nothingWithout('not_sent'), [NO_WORD]],
  ['takes a lost answer to a search for absence', searches.nothingWithout('sent'), [NO_ANSWER]],
  ['takes JSON that breaks off for an instance that sleeps', searches.SleepyAtFragments, [FRAGMENT]],
  ['reads the list beside an error', searches.DeafToErrors, [ERROR_FIRST]],
  [
    'searches among open tickets only',
    searches.SearchingOpenOnes,
    ['finds a ticket wherever it stands, the closed ones too'],
  ],
  ['gives the oldest first', searches.OldestFirst, [NEWEST]],
  ['says that all is open', memories.AlwaysOpen, ['says where a ticket stands, in the words that all platforms share']],
  ['says in trouble that a ticket is gone', memories.GoneInTrouble, [NOT_GONE]],
  ...[302, 403, 404, 503].map((status): Case => [
    `says at a ${status} that a ticket is gone`,
    searches.goneAt(status),
    [NOT_GONE],
  ]),
  ['says at a refused connection that a ticket is gone', searches.goneWithout('not_sent'), [NOT_GONE]],
  ['says at a lost answer that a ticket is gone', searches.goneWithout('sent'), [NOT_GONE]],
  ['reads no reports', memories.Deaf, ['reads the platform’s own reports']],
  ['trusts reports', memories.Trusting, ['takes foreign and broken reports for none, and never throws']],
  ['takes any report for its own', memories.TakingAll, ['takes foreign and broken reports for none, and never throws']],
  ['finds all well', memories.Cheerful, ['says what is wrong when it is tested, and does not throw for it']],
  [
    'finds nothing well',
    memories.Gloomy,
    ['finds nothing wrong where tickets can be created, and only reads to see it'],
  ],
  ['throws when it is tested', memories.Throwing, ['says what is wrong when it is tested, and does not throw for it']],
  [
    'creates a ticket to see whether it can',
    memories.Probing,
    [
      'finds nothing wrong where tickets can be created, and only reads to see it',
      'says what is wrong when it is tested, and does not throw for it',
    ],
  ],
  [
    'tells others',
    calls.Telling,
    [
      'takes a login and a page in place of data for final, and sends nothing on',
      'calls its origins only, over https:, in all that it does',
      APART,
    ],
  ],
  ['has its token in URLs', calls.KeyInUrl, ['shows its secrets in no URL, no message, no preview and no ticket']],
  [
    'sends its token in the ticket',
    calls.KeyInBody,
    ['shows its secrets in no URL, no message, no preview and no ticket'],
  ],
  [
    'has its token in messages',
    calls.KeyInMessage,
    ['shows its secrets in no URL, no message, no preview and no ticket'],
  ],
  ['shows a part of its token', calls.KeyInHint, ['shows no part of a secret that the platform repeats']],
  ['cuts what a success says', calls.KeyInSuccess, ['shows no part of a secret that the platform repeats']],
  ['uses the first connector’s secrets for all', calls.LoyalToSecrets, [APART]],
  ['calls the first connector’s address for all', calls.LoyalToAddress, [APART]],
  ['takes the secrets of whoever came last', calls.Absent, [APART]],
];

describe('the contract of ticket adapters', () => {
  it('is passed by one that keeps it', async () => {
    expect(await failuresOf(AcmeDeskAdapter)).toEqual([]);
  });

  it.each([
    ['cannot search', modest.Unsearchable],
    ['has no webhooks and is not asked for states', modest.Silent],
  ])('is passed by one whose platform %s, if it says so', async (_what, Modest) => {
    expect(await failuresOf(Modest)).toEqual([]);
  });

  it('waits for a search that lags behind, as long as the ground allows', async () => {
    expect(await failuresOf(modest.Lagging, 2_000)).toEqual([]);
    expect(await failuresOf(modest.Lagging)).toContain('finds by its key what it created, and nothing else');
  });

  it.each(BROKEN)('is failed by one that %s', async (_what, Broken, titles) => {
    const failures = await failuresOf(Broken);
    if (typeof titles === 'string') expect(failures).toContain(titles);
    else expect(failures).toEqual(titles);
  });

  it('has no rule that none of these breaks', async () => {
    const broken = new Set(BROKEN.flatMap(([, , titles]) => titles));
    const titles = itsmAdapterContract(() => acmeDeskGround()).map(({ title }) => title);
    expect(titles.filter(title => !broken.has(title))).toEqual([]);
  });
});
