import { SCHEMA } from '#database';

/** Length of a step, in milliseconds. */
export const LIMIT_STEP_MS = 2_000;

/**
 * Number of steps that are summed. A claim may be used until its slice of 1.5 s has ended. Usage of the last minute was
 * therefore claimed within the last 61.5 s, and 32 steps cover 62 to 64 s.
 */
export const LIMIT_STEPS = 32;

/**
 * Claims requests, tokens and slots of limits for one replica, and takes back unused claims. All arrays have one entry
 * per limit and part, in the order of their keys. `most_*` is null if the limit does not have the kind. `least_*` is
 * the smallest useful claim; less is not granted. `back_*` are returned claims of the step `back_step`. `want_slots` is
 * the total number of slots that the replica wants; null if it wants none.
 * Returns JSON: `{"step": n, "rows": [[requests, wait, tokens, wait, slots], …]}`. `wait` is the time in milliseconds
 * after which `least` may fit, and 0 if it was granted. The row of a deleted limit is null.
 */
export const CLAIM_LIMITS: readonly [signature: string, definition: string] = [
  `claim_limits(org uuid, replica_id uuid, valid_for interval, limits uuid[], parts text[],
     most_requests bigint[], least_requests bigint[], want_requests bigint[], back_requests bigint[],
     most_tokens bigint[], least_tokens bigint[], want_tokens bigint[], back_tokens bigint[], back_step bigint[],
     most_slots integer[], want_slots integer[])`,
  `returns text language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now();
     millis bigint := floor(extract(epoch from moment) * 1000);
     step bigint := floor(extract(epoch from moment) * 1000)::bigint / ${LIMIT_STEP_MS};
     empty bigint[] := array_fill(0::bigint, array[${LIMIT_STEPS}]);
     counter record; n integer; kind integer; place integer; shift bigint; is_there boolean; lines jsonb := '[]';
     counts bigint[]; most bigint; need bigint; want bigint; back bigint; used bigint; granted bigint[]; waits bigint[];
     freed bigint; others bigint; slots bigint;
   begin
     perform set_config('governance.org_id', org::text, true);
     -- Losing a second of claims in a crash of the database is better than waiting for its disk in every claim.
     perform set_config('synchronous_commit', 'off', true);
     for n in 1 .. cardinality(limits) loop
       for attempt in 1 .. 2 loop
         select c.newest, c.requests, c.tokens into counter from ${SCHEMA}.limit_counters c
         where c.org_id = org and c.limit_id = limits[n] and c.part = parts[n] for no key update;
         is_there := found;
         exit when is_there;
         insert into ${SCHEMA}.limit_counters (org_id, limit_id, part, newest, requests, tokens, touched_at)
         select org, l.id, parts[n], step, empty, empty, moment from ${SCHEMA}.limits l
         where l.org_id = org and l.id = limits[n] for key share
         on conflict do nothing;
       end loop;
       if not is_there then lines := lines || '[null]'::jsonb; continue; end if;
       -- Clocks of the database do not go back by whole steps; if one does, what it counted stays.
       step := greatest(step, counter.newest);
       shift := step - counter.newest;
       granted := '{0,0}'; waits := '{0,0}';
       for kind in 1 .. 2 loop
         if kind = 1 then
           counts := counter.requests; most := most_requests[n]; need := least_requests[n];
           want := want_requests[n]; back := back_requests[n];
         else
           counts := counter.tokens; most := most_tokens[n]; need := least_tokens[n];
           want := want_tokens[n]; back := back_tokens[n];
         end if;
         if shift >= ${LIMIT_STEPS} then counts := empty;
         elsif shift > 0 then counts := counts[shift + 1:] || array_fill(0::bigint, array[shift::integer]);
         end if;
         place := ${LIMIT_STEPS} - (step - back_step[n]);
         if back > 0 and place >= 1 then counts[place] := greatest(counts[place] - back, 0); end if;
         if most is not null and want > 0 then
           used := (select sum(c) from unnest(counts) c);
           if used + need <= most then
             granted[kind] := least(want, most - used);
             counts[${LIMIT_STEPS}] := counts[${LIMIT_STEPS}] + granted[kind];
           else
             freed := 0;
             waits[kind] := ${LIMIT_STEPS} * ${LIMIT_STEP_MS};
             for place in 1 .. ${LIMIT_STEPS} loop
               freed := freed + counts[place];
               if used - freed + need <= most then
                 waits[kind] := (step - ${LIMIT_STEPS} + place + ${LIMIT_STEPS}) * ${LIMIT_STEP_MS} - millis;
                 exit;
               end if;
             end loop;
           end if;
         end if;
         if kind = 1 then counter.requests := counts; else counter.tokens := counts; end if;
       end loop;
       update ${SCHEMA}.limit_counters c
       set newest = step, requests = counter.requests, tokens = counter.tokens, touched_at = moment
       where c.org_id = org and c.limit_id = limits[n] and c.part = parts[n];
       slots := null;
       if want_slots[n] is not null then
         -- The counter is locked: nobody else counts leases of this part.
         select coalesce(sum(x.slots), 0) into others from ${SCHEMA}.limit_leases x
         where x.org_id = org and x.limit_id = limits[n] and x.part = parts[n] and x.replica <> replica_id
           and x.expires_at > moment;
         slots := greatest(least(want_slots[n], coalesce(most_slots[n], 0) - others), 0);
         if slots = 0 then
           delete from ${SCHEMA}.limit_leases x
           where x.org_id = org and x.limit_id = limits[n] and x.part = parts[n] and x.replica = replica_id;
         else
           insert into ${SCHEMA}.limit_leases as x (org_id, limit_id, part, replica, slots, expires_at)
           values (org, limits[n], parts[n], replica_id, slots, moment + valid_for)
           on conflict (org_id, limit_id, part, replica)
           do update set slots = excluded.slots, expires_at = excluded.expires_at;
         end if;
       end if;
       lines := lines || jsonb_build_array(jsonb_build_array(granted[1], waits[1], granted[2], waits[2], slots));
     end loop;
     return jsonb_build_object('step', step, 'rows', lines)::text;
   end
   $$`,
];
