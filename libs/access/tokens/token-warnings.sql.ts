/** Days before expiry at which warnings are sent, the earliest warning first. */
const WARNING_DAYS = [30, 7, 1] as const;

/**
 * The warning that is due for the token `t` at a given time, in days: the smallest threshold that has been reached. If
 * the lifetime of a token is shorter than a threshold, that warning is skipped.
 */
export const DUE_DAYS = (moment: string): string =>
  `(select min(d.days) from unnest('{${WARNING_DAYS.join()}}'::integer[]) as d (days)
    where t.expires_at - d.days * interval '1 day' <= ${moment}
      and t.created_at < t.expires_at - d.days * interval '1 day')`;

/** Whether a warning of the token `t` is due and was not sent yet. */
export const IS_DUE = (moment: string): string =>
  `t.revoked_at is null and t.expires_at > ${moment}
   and t.expires_at <= ${moment} + ${WARNING_DAYS[0]} * interval '1 day'
   and ${DUE_DAYS(moment)} < coalesce(t.warned_days, ${WARNING_DAYS[0] + 1})`;
