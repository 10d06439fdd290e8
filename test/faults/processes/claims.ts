import type { TestDatabase } from '../../support/test-postgres.js';

/** A lease of a replica. The database recorded it when the lease was written. */
export interface Claim {
  taskId: string;
  /** The name of the replica. */
  by: string;
  /** Milliseconds since 1970. */
  at: number;
  /** Whether the replica also wrote an outcome. If not, the task was in flight when the replica was killed. */
  hasEnded: boolean;
}

// The functions run with the rights of their owner, because workers have no rights in this schema.
const WATCH = `
create table public.claims (
  token uuid, task_id uuid, by text not null, at timestamptz not null, ended boolean not null default false,
  primary key (token, task_id));
create function public.note_claim() returns trigger language plpgsql security definer as $$
begin
  if tg_op = 'DELETE' or new.lease_token is distinct from old.lease_token then
    update public.claims set ended = true
    where token = old.lease_token and task_id = old.id and by = current_setting('application_name');
  end if;
  if tg_op = 'UPDATE' and new.lease_token is distinct from old.lease_token and new.lease_token is not null then
    insert into public.claims values (new.lease_token, new.id, current_setting('application_name'), clock_timestamp());
  end if;
  return null;
end $$;
create trigger note_claim after update or delete on governance.tasks for each row execute function public.note_claim()`;

/**
 * Makes the database record every lease from now on. Replicas must connect to the URL that {@link urlOf} returns for
 * their name.
 */
export async function watchClaims(database: TestDatabase): Promise<void> {
  await database.asOwner(WATCH);
}

/** A URL of the database that identifies the replica which connects with it. */
export function urlOf(database: TestDatabase, replica: string): string {
  const url = new URL(database.url);
  url.searchParams.set('application_name', replica);
  return url.href;
}

/** All leases so far by task. The leases of a task are in order. */
export async function claimsByTask(database: TestDatabase): Promise<Map<string, Claim[]>> {
  const claims = await database.asOwner<Claim>(
    `select task_id as "taskId", by, extract(epoch from at)::float8 * 1000 as at, ended as "hasEnded"
     from public.claims order by at`,
  );
  return Map.groupBy(claims, claim => claim.taskId);
}
