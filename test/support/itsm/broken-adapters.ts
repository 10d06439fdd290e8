import type { AcmeDeskAdapter } from '../../../apps/examples/docs-snippets/src/acme-desk/acme-desk.adapter.js';
import * as forms from './broken-forms.js';
import * as outcomes from './broken-outcomes.js';
import * as memories from './broken-memories.js';
import * as searches from './broken-searches.js';
import * as texts from './broken-texts.js';
import * as calls from './broken-calls.js';
import * as updates from './broken-updates.js';
import * as limits from './limited-desk.js';
import * as signing from './signing-desks.js';
import * as bodies from './other-bodies.js';
import * as moving from './moving-desk.js';
import { FirstPageOnly } from './paged-desk.js';
import { Pretending } from './idempotent-desk.js';

const SCHEMAS = 'has JSON Schemas for settings and secrets, which accept valid values and refuse others';
const ADDRESSES = 'refuses invalid addresses by its schema';
export const NO_WORD = 'throws if the platform does not answer a search, and never returns an empty result';
export const NO_ANSWER = 'throws if the answer to a search is lost';
export const NOT_GONE = 'throws if the platform does not return the status, and never reports the ticket as deleted';
const NO_TICKET = 'does not treat a refusal as a ticket, even if it names one';
export const FRAGMENT = 'treats an incomplete answer as a temporary failure, and pauses nothing';
const LIMIT = 'waits after a rate limit that the platform reports with another status than 429';
const ERROR_FIRST = 'checks the error before the result if a success reports a failure';
const PAGES = 'finds tickets on every page of a search';
const MOVED = 'reports the new name of a ticket that people moved, and reads the ticket by both names';
const MOVED_CHANGE = 'changes a ticket that people moved, and returns its new name';
const NEWEST = 'returns the newest first if two tickets have one key';
const TEXT = 'adds the text of a change to the ticket, every line of it, and its key';
const PAYLOAD = 'shows and sends the whole payload, the link, and labels if the platform has them';
const TEMPLATE = 'shows and sends the text of the connector’s template, every line of it';
const CUT = 'truncates texts to the limits of the platform, between characters, with a mark, and keeps the link';
const SHOWN = 'sends texts so that the platform shows them unchanged and without markup';
const SHOWN_CHANGE = 'adds texts so that the platform shows them unchanged and without markup';
const READ = 'returns uncertain if the answer to a create cannot be read, and does not throw';
const READ_CHANGE = 'makes a change once if the answer to it cannot be read';
const MOVES = 'resolves and reopens a ticket, and raises its priority';
const ONCE = 'makes a change once, whichever of its answers is lost, however often it is repeated';
const WHOLE = 'reports a change as repeatable only if no part of it was made';
const RIGHT = 'does not change a ticket that is already in the requested status';
const CHOSEN = 'does not change a priority that people chose';
const DECLINED = 'does not reopen what people declined';
const NO_CHANGE = 'never reports a failure as a made change or as a deleted ticket';
export const REPEATED =
  'creates one ticket if a create is repeated with its key, and the adapter declares it idempotent';
const DECLARED = 'declares only changes that it makes';
export const SIGNED = 'accepts the platform’s signature of the exact bytes, and no other';
const FORM = 'has settings that a form can show, and secrets that are texts';
const CONTENT = 'sends a create with the content type that the platform reads';
const STATUS = 'treats an answer as a ticket only if its status is one with which the platform names tickets';
const NO_PART = 'shows no part of a secret that the platform sends back';
const IN_BODY = 'sends a secret in a body only if it declares that, as a value of its own';
const APART = 'separates connectors: each call uses its own addresses and secrets';

/** A broken adapter, with the rules that it must fail. Without a list, it must fail at least one rule. */
type Case = [what: string, Broken: new () => AcmeDeskAdapter, titles: string[] | string];

/** Adapters that each break rules of the contract. */
export const BROKEN: Case[] = [
  ['has an invalid kind', forms.InvalidKind, ['has a kind and a title']],
  ['accepts any secrets', forms.AnySecrets, [SCHEMAS]],
  [
    'has an invalid JSON Schema',
    forms.InvalidSchema,
    ['has JSON Schemas for settings and secrets, which accept valid values and refuse others', ADDRESSES, APART],
  ],
  [
    'has an origin with a path',
    forms.WithPath,
    [
      'returns its origins as https://host[:port]',
      'rejects a login or a page instead of data, and sends no further request',
      'calls only its origins, over https:',
      APART,
    ],
  ],
  ['accepts any text as an address', forms.AnyAddress, [ADDRESSES]],
  [
    'includes the time in a ticket',
    forms.WithTime,
    ['renders a ticket from the draft and the settings only, and changes neither'],
  ],
  [
    'changes the draft',
    forms.ChangingDraft,
    ['renders a ticket from the draft and the settings only, and changes neither'],
  ],
  ['shows only a summary of the payload', forms.PayloadSummary, [PAYLOAD, TEMPLATE, CUT, SHOWN]],
  ['omits the text of the template', forms.WithoutText, [TEMPLATE]],
  ['shows only the first line of the text of the template', forms.FirstLineOfText, [TEMPLATE]],
  ['omits the link', forms.WithoutLink, [PAYLOAD, CUT]],
  ['sends no labels', forms.WithoutTags, [PAYLOAD]],
  ['truncates within a character', forms.CutWithinCharacter, [CUT]],
  ['truncates without a mark', forms.CutWithoutMark, [CUT]],
  ['sends more characters than the platform accepts', forms.TooLong, [CUT]],
  [
    'replaces line breaks only',
    forms.LineBreaksOnly,
    ['replaces line breaks, invisible and direction characters in the title, and keeps its words'],
  ],
  ['sends unescaped texts to a platform that shows HTML', texts.RawDescriptions, [SHOWN]],
  ['adds unescaped texts on a platform that shows HTML', texts.RawNotes, SHOWN_CHANGE],
  ['sends a payload as Markdown', texts.UnescapedMarkdown, [SHOWN]],
  ['escapes texts for a platform that shows plain text', texts.EscapingPlainText, [SHOWN]],
  ['maps medium to high', forms.MediumAsHigh, ['maps the four severities to the expected values']],
  [
    'links to a ticket without encryption',
    outcomes.Unencrypted,
    ['creates a ticket with one request, and returns its name and address'],
  ],
  [
    'creates each ticket twice',
    outcomes.CreatingTwice,
    'creates a ticket with one request, and returns its name and address',
  ],
  [
    'retries by itself',
    outcomes.RetryingByItself,
    [
      'returns uncertain if the answer to a create is lost',
      'returns retryable if the connection is refused',
      'finds a ticket whose create had no answer',
    ],
  ],
  [
    'reports a lost answer as a failure',
    outcomes.LostAsRetryable,
    ['returns uncertain if the answer to a create is lost', 'finds a ticket whose create had no answer'],
  ],
  ['throws at a truncated answer', texts.ParsingFragments, [READ]],
  ['reports a create with a truncated answer as failed', texts.FragmentAsFailure, [READ]],
  [
    'reports a refused connection as an unknown outcome',
    outcomes.RefusedAsUncertain,
    ['returns retryable if the connection is refused'],
  ],
  [
    'reports status 500 as a failure',
    outcomes.Status500AsRetryable,
    ['returns uncertain if the platform fails during a create, whether or not the ticket exists'],
  ],
  [
    'treats any answer with status 201 as a created ticket',
    outcomes.AnyStatus201,
    [
      'returns uncertain if a success names no ticket',
      READ,
      'handles answers of any form, and treats none of them as a ticket',
    ],
  ],
  [
    'sends another request before the create, and does not handle its failure',
    outcomes.RequestBeforeCreate,
    ['never returns uncertain if the failure is before the create is sent'],
  ],
  ['ignores Retry-After', outcomes.WithoutRetryAfter, ['returns the wait that the platform requests']],
  ['reads Retry-After as a number only', outcomes.RetryAfterAsNumber, ['returns the wait that the platform requests']],
  ['reports a rate limit with status 400 as a refusal', limits.LimitAsRefusal, [LIMIT]],
  ['loses the wait of a rate limit with status 400', limits.LimitWithoutWait, [LIMIT]],
  ['reports the rate limit of a change as a refusal', limits.LimitAsRefusedChange, [LIMIT]],
  ['reports the rate limit of a search as a fault in the settings', limits.PausingAtLimit, [LIMIT]],
  ['retries with refused credentials', outcomes.RetryingAt401, ['rejects refused credentials as `auth`']],
  [
    'repeats a create twice with refused credentials',
    outcomes.RepeatingTwiceAt401,
    ['rejects refused credentials as `auth`'],
  ],
  ['retries without the required rights', outcomes.RetryingAt403, ['rejects missing rights as `forbidden`']],
  ['retries after a 404', outcomes.RetryingAt404, ['rejects if the platform refuses for any other reason']],
  ['treats any answer that names a ticket as a created ticket', outcomes.TicketInRefusals, [NO_TICKET, STATUS]],
  ...[403, 409].map((status): Case => [
    `takes a ${status} that names a ticket for one`,
    outcomes.ticketInRefusalsWith(status),
    [NO_TICKET],
  ]),
  ['treats any success that names a ticket as a created ticket', outcomes.TicketInSuccesses, [STATUS]],
  ['does not name the refused field', outcomes.WithoutField, ['names the field that the platform refuses']],
  [
    'reports a page as an unknown outcome',
    outcomes.PageAsUncertain,
    ['rejects a login or a page instead of data, and sends no further request'],
  ],
  [
    'reports a page with status 203 as an unknown outcome',
    outcomes.Page203AsUncertain,
    ['rejects a login or a page instead of data, and sends no further request'],
  ],
  [
    'follows redirects',
    calls.FollowingRedirects,
    ['rejects a login or a page instead of data, and sends no further request', 'calls only its origins, over https:'],
  ],
  [
    'throws at an unexpected answer',
    outcomes.ThrowingAtAnswers,
    [
      READ,
      'rejects if the platform refuses for any other reason',
      'rejects a login or a page instead of data, and sends no further request',
      'handles answers of any form, and treats none of them as a ticket',
    ],
  ],
  ['keeps a refusal in memory', outcomes.RememberingRefusal, ['keeps no state of a failed attempt']],
  [
    'waits for minutes',
    calls.WaitingForMinutes,
    [
      'never returns uncertain if the failure is before the create is sent',
      'needs at most 30 seconds for a create in total',
    ],
  ],
  [
    'also returns tickets with other keys',
    memories.FindingOtherKeys,
    ['finds by key the ticket that it created, and no other', 'finds nothing if a key contains a query'],
  ],
  [
    'finds tickets in its own memory only',
    memories.FindingInMemory,
    [
      'finds a ticket whose create had no answer',
      NEWEST,
      'stores no state: another instance finds and reads the ticket',
    ],
  ],
  [
    'finds a ticket by a part of a key',
    memories.FindingByPartOfKey,
    ['finds by key the ticket that it created, and no other', 'finds nothing if a key contains a query'],
  ],
  ['treats every failure as an absent ticket', memories.NothingAtFailure, [NO_WORD, NO_ANSWER, FRAGMENT, ERROR_FIRST]],
  ...[400, 410, 422, 502].map((status): Case => [
    `takes a ${status} for absence`,
    searches.nothingAt(status),
    [NO_WORD],
  ]),
  ['treats an error with a success status as an absent ticket', searches.NothingInErrors, [NO_WORD]],
  ['treats a refused connection as an absent ticket', searches.nothingWithout('not_sent'), [NO_WORD]],
  ['treats a lost answer to a search as an absent ticket', searches.nothingWithout('sent'), [NO_ANSWER]],
  ['treats truncated JSON as the answer of a hibernating instance', searches.FragmentAsHibernating, [FRAGMENT]],
  ['reads the list and ignores the error beside it', searches.IgnoringErrors, [ERROR_FIRST]],
  ['searches open tickets only', searches.SearchingOpenTickets, ['finds tickets in every state, also closed ones']],
  ['returns the oldest ticket first', searches.OldestFirst, [NEWEST]],
  ['reads only the first page of a search', FirstPageOnly, [PAGES]],
  ['reports the former name of a ticket that people moved', moving.FormerNameOfStatus, [MOVED]],
  ['reports the new name of a ticket without its id', moving.NewNameWithoutId, [MOVED]],
  ['reports a ticket that people moved as deleted', moving.MovedAsGone, [MOVED]],
  ['returns the former name of a ticket with a change', moving.FormerNameOfChange, [MOVED_CHANGE]],
  ['refuses to change a ticket that people moved', moving.MovedAsRefused, [MOVED_CHANGE]],
  [
    'reports every ticket as open',
    memories.AlwaysOpen,
    ['returns the status of a ticket as open, in_progress, resolved or closed'],
  ],
  ['reports a ticket as deleted at every failure', memories.GoneAtFailure, [NOT_GONE]],
  ...[302, 403, 404, 503].map((status): Case => [
    `says at a ${status} that a ticket is gone`,
    searches.goneAt(status),
    [NOT_GONE],
  ]),
  ['reports a ticket as deleted if the connection is refused', searches.goneWithout('not_sent'), [NOT_GONE]],
  ['reports a ticket as deleted if the answer is lost', searches.goneWithout('sent'), [NOT_GONE]],
  ['reports a ticket as deleted at status 200 with an error', searches.GoneInErrors, [NOT_GONE]],
  ['ignores reports', memories.IgnoringReports, ['reads the platform’s own reports']],
  [
    'does not validate reports',
    memories.UnvalidatedReports,
    ['returns null for foreign and broken reports, and never throws'],
  ],
  [
    'treats any report as its own',
    memories.AnyReport,
    ['returns null for foreign and broken reports, and never throws'],
  ],
  [
    'passes every check of the connector test',
    memories.PassingEveryCheck,
    ['verifies with a failed check if something is wrong, and does not throw'],
  ],
  [
    'fails every check of the connector test',
    memories.FailingEveryCheck,
    ['verifies without a failed check if tickets can be created, and only reads'],
  ],
  [
    'throws in the connector test',
    memories.ThrowingInTest,
    ['verifies with a failed check if something is wrong, and does not throw'],
  ],
  [
    'creates a ticket in the connector test',
    memories.CreatingInTest,
    [
      'verifies without a failed check if tickets can be created, and only reads',
      'verifies with a failed check if something is wrong, and does not throw',
    ],
  ],
  ...(['PATCH', 'PUT'] as const).map((method): Case => [
    `sends a ${method} in the connector test`,
    memories.changingInTest(method),
    ['verifies without a failed check if tickets can be created, and only reads'],
  ]),
  [
    'also sends requests to another host',
    calls.CallingAnotherHost,
    [
      'rejects a login or a page instead of data, and sends no further request',
      'calls only its origins, over https:',
      APART,
    ],
  ],
  ['has its token in URLs', calls.KeyInUrl, ['shows its secrets in no URL, no message, no preview and no ticket']],
  ['sends its token in the ticket', calls.KeyInBody, [IN_BODY]],
  ['sends its token in a form', calls.KeyInForm, [IN_BODY]],
  ['sends its token in the body without declaring that', bodies.Undeclared, [IN_BODY]],
  ['declares its token for the body, and also has it in a text', bodies.TokenInText, [IN_BODY]],
  ['declares a value for the body that is not one of its secrets', bodies.DeclaringOtherValue, [FORM]],
  ['quotes a refusal with status 200 without declaring it as a refusal', bodies.UndeclaredRefusals, [NO_PART]],
  ['reports a refusal with status 200 as an unknown outcome', bodies.RefusalAsUncertain, [ERROR_FIRST]],
  ['sends a list as an object', bodies.WrongContentType, [CONTENT]],
  ['has a setting without a type', forms.Untyped, [FORM]],
  ['has a secret within another secret', forms.SecretInside, [FORM]],
  [
    'has its token in messages',
    calls.KeyInMessage,
    ['shows its secrets in no URL, no message, no preview and no ticket'],
  ],
  ['shows a part of its token', calls.KeyInHint, ['shows no part of a secret that the platform sends back']],
  [
    'truncates the message of a success within a secret',
    calls.KeyInSuccess,
    ['shows no part of a secret that the platform sends back'],
  ],
  ['uses the first connector’s secrets for all connectors', calls.FirstSecretsForAll, [APART]],
  ['calls the first connector’s address for all connectors', calls.FirstAddressForAll, [APART]],
  ['uses the secrets of the latest call for all calls', calls.LatestSecretsForAll, [APART]],
  ['declares a change that the platform does not support', updates.DeclaringUnsupported, DECLARED],
  ['declares changes but makes none', updates.DeclaringOnly, DECLARED],
  ['resolves no ticket on a platform without reads', updates.NotResolvingWithoutReads, [MOVES, ONCE, READ_CHANGE]],
  ['reads the answer to a change like the answer to a read', texts.ReadingChanges, [READ_CHANGE]],
  ['adds a text again', updates.AddingTextAgain, [ONCE, READ_CHANGE]],
  ['adds a text of its own instead of the given one', updates.OwnText, [TEXT, SHOWN_CHANGE]],
  ['raises a priority that people lowered', updates.RaisingLowered, [CHOSEN]],
  ['reopens every ticket', updates.ReopeningAll, [DECLINED]],
  ['reports every answer as a made change', updates.AnyAnswerAsChange, NO_CHANGE],
  ['reports a ticket as deleted at every failed change', updates.GoneAtFailure, NO_CHANGE],
  ['resolves no ticket', updates.NotResolving, [MOVES, ONCE, READ_CHANGE]],
  ['fails only at a reopening: leaves the ticket resolved', updates.NotReopening, [MOVES, ONCE, READ_CHANGE]],
  ['fails only at a reopening: adds the text again', updates.AddingTextAgainAtReopening, [ONCE, READ_CHANGE]],
  ['fails only at a reopening: reports every answer as a made change', updates.AnyAnswerAsReopening, NO_CHANGE],
  ['fails only at raising the priority: leaves it as it is', updates.NotRaising, [MOVES, ONCE, READ_CHANGE]],
  ['fails only at raising the priority: reports every failure as a made change', updates.AnyAnswerAsRaising, NO_CHANGE],
  ...[302, 400, 401, 403, 404, 409].map((status): Case => [
    `reports a change as made if its write is refused with ${status}`,
    updates.madeAt(status),
    [NO_CHANGE],
  ]),
  ...[400, 403, 409].map((status): Case => [
    `reports a ticket as deleted if the write of a change is refused with ${status}`,
    updates.goneAtWrite(status),
    [NO_CHANGE],
  ]),
  ['reports a change as made if its write gets status 200 with an error', updates.ErrorAsChange, [NO_CHANGE]],
  ['reports a change as made if its read gets status 200 with an error', updates.ErrorAtReadAsChange, [NO_CHANGE]],
  ['changes fields that have the right value', updates.ChangingRightFields, [RIGHT]],
  ['reports a change as not made if its first half was made', updates.InTwoSteps, [ONCE, READ_CHANGE, WHOLE]],
  ['reports a refusal of the second request as a refusal of both', updates.Halfway, [WHOLE]],
  ['reports a 503 as a made change', updates.Status503AsChange, [ONCE, NO_CHANGE]],
  ['declares idempotent creates that the platform does not have', Pretending, [REPEATED]],
  ['accepts any signature', signing.AnySignature, [SIGNED]],
  ['accepts any secret in a header', signing.AnySecret, [SIGNED]],
  ['declares that the body is signed if only a secret is sent', signing.Undeclared, [SIGNED]],
  ['declares that a secret is sent if the body is signed', signing.Overdeclared, [SIGNED]],
  ['checks only the first of several signatures', signing.FirstSignatureOnly, [SIGNED]],
  ['checks the signature of the parsed body', signing.SignatureOfParsedBody, [SIGNED]],
  ['accepts a report whose body is gone', signing.WithoutBody, [SIGNED]],
  ['throws if there is no signature', signing.ThrowingWithoutSignature, [SIGNED]],
];
