/** Fills an organization with people by SQL: twenty departments, nine of ten people active, names in random order. */
export async function addPeople(owner, orgId, count) {
  // The version that the first change of users would set.
  await owner.query(`insert into governance.change_marks (org_id, topic, version) values ($1, 'users', 1)`, [orgId]);
  await owner.query(
    `insert into governance.users (org_id, id, email, email_key, name, department, role, status, suspension_causes,
       suspended_at, created_at, updated_at, change_version)
     select $1, md5('user' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example',
       'User ' || md5('name' || n), 'Department ' || n % 20, 'member', s.status,
       case when s.status = 'suspended' then array['offboarding'] else '{}' end,
       case when s.status = 'suspended' then now() end, now(), now(), 1
     from generate_series(1, $2::integer) n
     cross join lateral (select (array['suspended', 'inactive'])[1 + n / 20 % 20] as status) picked
     cross join lateral (select coalesce(picked.status, 'active') as status) s`,
    [orgId, count],
  );
}
