-- Translates a regular expression as `functions/pattern.ts` does, to PostgreSQL's syntax; null for an invalid
-- pattern. Sets of code points are multiranges. For a constant pattern it is computed once per
-- statement. It catches errors, which the server does not allow in parallel queries.
create or replace function cadastre_pattern(pattern text) returns text
language plpgsql immutable strict parallel unsafe as $$
declare
  whole constant int4multirange := '{[1,1114112)}';
  digits constant int4multirange := '{[48,58)}';
  word constant int4multirange := '{[48,58),[65,91),[95,96),[97,123)}';
  space constant int4multirange := '{[9,14),[32,33),[160,161),[5760,5761),[8192,8203),[8232,8234),[8239,8240),[8287,8288),[12288,12289),[65279,65280)}';
  line_ends constant int4multirange := '{[10,11),[13,14),[8232,8234)}';
  rest text collate "C" := pattern;
  result text collate "C" := '';
  size bigint := 0;
  last bigint := -1;
  outer_sizes bigint[] := '{}';
  token text[];
  times int;
  bracketed boolean := false;
  negated boolean;
  -- the set of a class so far, the item just read, and the item before a hyphen
  class int4multirange;
  item int4multirange;
  code int;
  range_from int;
  hyphen boolean;
begin
  while rest <> '' loop
    if not bracketed then
      token := regexp_match(rest, '^(?:([*+?])|\{([0-9]{1,3})(,)?([0-9]{0,3})\})[?]?');
      if token is not null and (token[3] is not null or coalesce(token[4], '') = '') then
        if last < 0 then return null; end if;
        rest := substr(rest, 1 + length(substring(rest from '^(?:[*+?]|\{[0-9,]+\})[?]?')));
        if token[1] is not null then
          result := result || token[1];
          times := 1;
        else
          if token[2]::int > 255 or nullif(token[4], '')::int > 255 or nullif(token[4], '')::int < token[2]::int then
            return null;
          end if;
          result := result || '{' || token[2] || coalesce(token[3], '') || coalesce(token[4], '') || '}';
          times := greatest(coalesce(nullif(token[4], '')::int,
            token[2]::int + case when token[3] is null then 0 else 1 end), 1);
        end if;
        size := size + last * (times - 1);
        last := -1;
        if size > 1000 then return null; end if;
        continue;
      end if;
      token := regexp_match(rest, '^\((?:[?]:|[?]<[A-Za-z_$][A-Za-z0-9_$]*>|(?![?]))');
      if token is not null then
        rest := substr(rest, 1 + length(token[1]));
        outer_sizes := outer_sizes || size;
        if cardinality(outer_sizes) > 50 then return null; end if;
        result := result || '(?:';
        size := 0;
        last := -1;
        continue;
      end if;
      if starts_with(rest, ')') then
        if cardinality(outer_sizes) = 0 then return null; end if;
        rest := substr(rest, 2);
        result := result || ')';
        last := size + 1;
        size := last + outer_sizes[cardinality(outer_sizes)];
        outer_sizes := trim_array(outer_sizes, 1);
        if size > 1000 then return null; end if;
        continue;
      end if;
      if left(rest, 1) in ('|', '^', '$') then
        result := result || left(rest, 1);
        rest := substr(rest, 2);
        last := -1;
        continue;
      end if;
      if left(rest, 2) in ('\b', '\B') then
        result := result || case when starts_with(rest, '\b') then '\y' else '\Y' end;
        rest := substr(rest, 3);
        last := -1;
        continue;
      end if;
      if starts_with(rest, '[') then
        bracketed := true;
        negated := starts_with(rest, '[^');
        rest := substr(rest, case when negated then 3 else 2 end);
        class := '{}';
        range_from := null;
        hyphen := false;
        continue;
      end if;
      if starts_with(rest, '(') or rest ~ '^\{[0-9]+(?:,[0-9]*)?\}' then return null; end if;
    end if;

    code := null;
    item := null;
    if bracketed and starts_with(rest, ']') then
      bracketed := false;
      rest := substr(rest, 2);
      item := case when negated then whole - class else class * whole end;
    elsif bracketed and starts_with(rest, '\b') then
      code := 8;
      rest := substr(rest, 3);
    elsif not bracketed and starts_with(rest, '.') then
      item := whole - line_ends;
      rest := substr(rest, 2);
    elsif rest ~ '^\\[dDwWsS]' then
      item := case lower(substr(rest, 2, 1)) when 'd' then digits when 'w' then word else space end;
      if substr(rest, 2, 1) in ('D', 'W', 'S') then item := whole - item; end if;
      rest := substr(rest, 3);
    else
      token := regexp_match(rest, '^\\(?:([tnvfr])|c([A-Za-z])|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|u([dD][89abAB][0-9A-Fa-f]{2})\\u([dD][c-fC-F][0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|([^A-Za-z0-9]))');
      if token is not null then
        code := case
          when token[1] is not null then case token[1] when 't' then 9 when 'n' then 10 when 'v' then 11 when 'f' then 12 else 13 end
          when token[2] is not null then ascii(token[2]) % 32
          when token[5] is not null then 65536
            + (('x' || lpad(token[5], 8, '0'))::bit(32)::int & 1023) * 1024
            + (('x' || lpad(token[6], 8, '0'))::bit(32)::int & 1023)
          when token[8] is not null then ascii(token[8])
          else ('x' || lpad(coalesce(token[3], token[4], token[7]), 8, '0'))::bit(32)::int end;
        if code > 1114111 or code between 55296 and 57343 then return null; end if;
        rest := substr(rest, 1 + case
          when token[1] is not null or token[8] is not null then 2
          when token[2] is not null then 3
          when token[3] is not null then 4
          when token[4] is not null then length(token[4]) + 4
          when token[5] is not null then 12
          else 6 end);
      elsif starts_with(rest, '\') then
        return null;
      else
        code := ascii(rest);
        rest := substr(rest, 2);
      end if;
    end if;

    if bracketed then
      if hyphen and range_from is not null and code is not null then
        if range_from > code then return null; end if;
        class := class + int4multirange(int4range(range_from, code, '[]'));
      else
        class := class + coalesce(item, int4multirange(int4range(code, code, '[]')));
        if hyphen then class := class + '{[45,46)}'::int4multirange; end if;
      end if;
      if hyphen then
        hyphen := false;
        range_from := null;
      elsif starts_with(rest, '-') and length(rest) > 1 and not starts_with(rest, '-]') then
        hyphen := true;
        range_from := code;
        rest := substr(rest, 2);
      end if;
      continue;
    end if;

    if code = 0 then return null; end if;
    if code is not null and chr(code) ~ '[0-9A-Za-z]' then
      result := result || chr(code);
    elsif code is not null then
      result := result || '\U' || lpad(to_hex(code), 8, '0');
    elsif isempty(item) then
      -- beyond the last code point: no text has it
      result := result || '\U00110000';
    else
      result := result || '[' || (
        select string_agg('\U' || lpad(to_hex(lower(part)), 8, '0')
          || case when upper(part) - lower(part) = 1 then '' else '-\U' || lpad(to_hex(upper(part) - 1), 8, '0') end, '')
        from unnest(item) as part) || ']';
    end if;
    last := 1;
    size := size + 1;
    if size > 1000 then return null; end if;
  end loop;
  if bracketed or cardinality(outer_sizes) > 0 then return null; end if;
  perform '' ~ result;
  return result;
exception when others then
  return null;
end
$$;
