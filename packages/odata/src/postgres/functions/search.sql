-- Functions that `$search` calls.

-- Equivalent of `wordsOf` in `functions/words.ts`.
create or replace function cadastre_words(given text) returns text
language plpgsql immutable strict parallel safe as $$
declare
  words text collate "C" := cadastre_foldcase(given);
begin
  words := btrim(regexp_replace(words, case when octet_length(words) = char_length(words) then '[^0-9a-z]+'
    else '[^${wordClass}]+' end, ' ', 'g'), ' ');
  if char_length(words) > ${longestWord} then
    words := (select string_agg(left(word, ${longestWord}), ' ' order by place)
      from string_to_table(words, ' ') with ordinality as item(word, place));
  end if;
  return case when words = '' then '' else ' ' || words || ' ' end;
end
$$;

-- Returns the distinct words of texts, for an index. The function sets its own search path, because
-- restoring a dump fills indexes while the search path is empty.
create or replace function cadastre_search_words(variadic text[]) returns text[] language sql immutable strict parallel safe
set search_path from current as $$
  select array(select distinct word from unnest($1) as item, string_to_table(cadastre_words(item), ' ') as word
    where word <> '')
$$;

-- Equivalent of `isFound` in `functions/search.ts`.
create or replace function cadastre_search(words text, expression jsonb) returns boolean
language plpgsql immutable strict parallel safe as $$
begin
  case expression ->> 'kind'
    when 'Phrase' then
      return strpos(words, expression ->> 'words') > 0;
    when 'All' then
      return (select bool_and(cadastre_search(words, item)) from jsonb_array_elements(expression -> 'operands') as item);
    when 'Any' then
      return (select bool_or(cadastre_search(words, item)) from jsonb_array_elements(expression -> 'operands') as item);
    else
      return cadastre_search(words, expression -> 'operand') and not cadastre_search(words, expression -> 'excluded');
  end case;
end
$$;

create or replace function cadastre_search(text, text) returns boolean language sql immutable strict parallel safe as $$
  select cadastre_search($1, $2::jsonb)
$$;
