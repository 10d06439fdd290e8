import { SCHEMA } from '#database';

/**
 * Counts groups of occurrences in their unresolved incidents, or opens new incidents. The function runs with the rights
 * of the caller. Group n gets the version `base + 2n`. If its previous incident is replaced, that incident gets the
 * version `base + 2n - 1`. An incident without an occurrence for longer than the window is resolved and replaced. The
 * caller has locked the version of the organization's incidents, so that nothing changes concurrently. An entry
 * `opened` has the lowest id of its millisecond, so that it sorts before the occurrence. An entry `followed` has the id
 * of the new incident.
 */
export const RAISE_INCIDENTS: readonly [signature: string, definition: string] = [
  `raise_incidents(org uuid, base bigint, window_minutes integer, ids uuid[], types text[], severities text[],
     user_ids text[], user_emails text[], policy_ids uuid[], providers text[], models text[], all_details jsonb[],
     counts bigint[], firsts timestamptz[], lasts timestamptz[])`,
  `returns table (place bigint, incident_id uuid, is_new boolean)
   language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
   as $$
   #variable_conflict use_column
   declare
     quiet_for interval := make_interval(mins => window_minutes);
     system_actor jsonb := '{"kind": "system", "id": "system", "name": "System"}';
     said text;
     opening uuid;
     hit record;
     n integer;
   begin
     for hit in
       insert into ${SCHEMA}.incidents as i
         (org_id, id, type, severity, status, user_id, user_email, policy_id, provider, model, details, occurrences,
          first_seen_at, last_seen_at, change_version)
       select org, o.id, o.type, o.severity, 'open', o.user_id, o.user_email, o.policy_id, o.provider, o.model, o.details,
         o.count, o.first_at, o.last_at, base + 2 * o.place
       from unnest(ids, types, severities, user_ids, user_emails, policy_ids, providers, models, all_details, counts,
         firsts, lasts) with ordinality as o (id, type, severity, user_id, user_email, policy_id, provider, model, details,
         count, first_at, last_at, place)
       order by o.place
       on conflict (org_id, type, policy_id, user_id, model) where status <> 'resolved' do update set
         change_version = excluded.change_version,
         -- An incident that was quiet for too long is not counted here. The loop below replaces it.
         occurrences = i.occurrences
           + case when i.last_seen_at >= excluded.first_seen_at - quiet_for then excluded.occurrences else 0 end,
         first_seen_at = least(i.first_seen_at, excluded.first_seen_at),
         last_seen_at = case when i.last_seen_at >= excluded.first_seen_at - quiet_for
           then greatest(i.last_seen_at, excluded.last_seen_at) else i.last_seen_at end,
         severity = case when i.last_seen_at >= excluded.first_seen_at - quiet_for
             and array_position(array['low', 'medium', 'high', 'critical'], excluded.severity)
               > array_position(array['low', 'medium', 'high', 'critical'], i.severity)
           then excluded.severity else i.severity end
       returning i.id, i.last_seen_at, i.change_version
     loop
       n := (hit.change_version - base) / 2;
       place := n;
       incident_id := hit.id;
       is_new := hit.id = ids[n];
       opening := (left(ids[n]::text, 14) || '7000-8000-000000000000')::uuid;
       if not is_new and hit.last_seen_at < firsts[n] - quiet_for then
         said := format('Quiet for %s minutes; followed by %s.', window_minutes, ids[n]);
         update ${SCHEMA}.incidents i
         set status = 'resolved', resolved_at = firsts[n], resolved_by = system_actor, resolution = said,
           change_version = base + 2 * n - 1
         where i.org_id = org and i.id = hit.id;
         insert into ${SCHEMA}.incident_entries (org_id, incident_id, id, kind, at, actor, data)
         values (org, hit.id, ids[n], 'followed', firsts[n], system_actor,
           jsonb_build_object('to', 'resolved', 'resolution', said, 'followed_by', ids[n]));
         insert into ${SCHEMA}.incidents
           (org_id, id, type, severity, status, user_id, user_email, policy_id, provider, model, details, occurrences,
            first_seen_at, last_seen_at, follows, change_version)
         values (org, ids[n], types[n], severities[n], 'open', user_ids[n], user_emails[n], policy_ids[n], providers[n],
           models[n], all_details[n], counts[n], firsts[n], lasts[n], hit.id, base + 2 * n);
         incident_id := ids[n];
         is_new := true;
         insert into ${SCHEMA}.incident_entries (org_id, incident_id, id, kind, at, actor, data)
         values (org, ids[n], opening, 'opened', firsts[n], system_actor, jsonb_build_object('follows', hit.id));
       elsif is_new then
         insert into ${SCHEMA}.incident_entries (org_id, incident_id, id, kind, at, actor, data)
         values (org, ids[n], opening, 'opened', firsts[n], system_actor, '{}');
       end if;
       return next;
     end loop;
   end
   $$`,
];
