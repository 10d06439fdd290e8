import type { DirectoryUser, JsonObject } from '#core';
import type { DecisionInput } from '../decisions/decision.js';
import type { Comparison, ComparedOutcome } from './comparison.js';

/** Whom a decision was about, as the record has them. */
export interface RecordedPerson {
  readonly userId: string | null;
  readonly userEmail: string | null;
  readonly department: string | null;
  /** Undefined where the directory did not know them then. */
  readonly user: DirectoryUser | undefined;
  /** What the request said of them. */
  readonly asked: Pick<DecisionInput, 'user_id' | 'user_email' | 'attributes'>;
  /** What came out of their requests, by model. */
  readonly outcomes: Map<string, { readonly provider: string; readonly outcome: ComparedOutcome }>;
}

/** `attributes` of a record. Somebody who was unknown has none but those that the request claimed. */
interface RecordedAttributes {
  /** Only where it is not the column's. */
  id?: string;
  name?: string;
  department?: string | null;
  role?: string;
  status?: DirectoryUser['status'];
  attributes?: JsonObject | null;
}

/** As many as are kept twice over: a few megabytes. */
const KEPT = 4_000;
/** Outcomes that are kept of each. */
const OUTCOMES_KEPT = 50;

/** Judges what somebody has asked for, once for each model of a provider. */
export function outcomeFor(
  { user, asked, outcomes }: RecordedPerson,
  comparison: Comparison,
  provider: string,
  model: string,
): ComparedOutcome {
  const known = outcomes.get(model);
  if (known?.provider === provider) return known.outcome;
  const outcome = comparison.outcome(user, { ...asked, provider, model });
  if (outcomes.size >= OUTCOMES_KEPT) outcomes.clear();
  outcomes.set(model, { provider, outcome });
  return outcome;
}

/**
 * Makes people out of the columns of records. What was made of the last few thousand is kept, because the same people
 * ask again and again.
 */
export class RecordedPeople {
  private recent = new Map<string, RecordedPerson>();
  private older = new Map<string, RecordedPerson>();

  /** @param attributes the JSON text of the record */
  of(userId: string | null, userEmail: string | null, attributes: string): RecordedPerson {
    const known = this.recent.get(attributes) ?? this.older.get(attributes);
    if (known && known.userId === userId && known.userEmail === userEmail) return known;
    const person = personOf(userId, userEmail, attributes);
    if (this.recent.size >= KEPT) {
      this.older = this.recent;
      this.recent = new Map();
    }
    this.recent.set(attributes, person);
    return person;
  }
}

function personOf(userId: string | null, userEmail: string | null, text: string): RecordedPerson {
  // Written by the recorder.
  const { id = userId, name, department, role, status, attributes } = JSON.parse(text) as RecordedAttributes;
  const named = { ...(id !== null && { user_id: id }), ...(userEmail !== null && { user_email: userEmail }) };
  const seen = {
    ...{ userId, userEmail },
    department: typeof department === 'string' ? department : null,
    outcomes: new Map<string, never>(),
  };
  if (status === undefined) {
    // Claimed by a request, whose attributes are checked to be such.
    const claimed = attributes as DecisionInput['attributes'] | null;
    return { ...seen, user: undefined, asked: { ...named, ...(claimed && { attributes: claimed }) } };
  }
  // What was missing then is missing again.
  const user = { id, email: userEmail, name, department, role, status, attributes } as DirectoryUser;
  return { ...seen, user, asked: {} };
}
