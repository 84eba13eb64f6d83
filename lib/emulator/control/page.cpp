// GET /: a page that shows the requests, rules and state of the emulator as they change.
#include "emulator/control/routes.h"

namespace svc::emulator {

std::string_view control_page() {
  return R"html(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>svc emulator</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em }
table { border-collapse: collapse; width: 100% }
td, th { border-bottom: 1px solid #ddd; padding: .2em .6em; text-align: left; vertical-align: top }
pre { margin: 0; max-height: 12em; overflow: auto; white-space: pre-wrap; word-break: break-word }
.bad { color: #b00 }
</style>
<h1>svc emulator</h1>
<p>Test: <select id="scope"><option value="">(none)</option></select> <span id="state"></span></p>
<h2>Rules</h2>
<table><thead><tr><th>Rule</th><th>Matched</th><th>Used</th></tr></thead>
<tbody id="rules"></tbody></table>
<h2>Requests</h2>
<table><thead><tr><th>#</th><th>Request</th><th>Status</th><th>Body</th></tr></thead>
<tbody id="requests"></tbody></table>
<script>
const find = id => document.getElementById(id);
async function get(path) {
  const test = find('scope').value;
  const answer = await fetch(path, {headers: test ? {'X-Test-Id': test} : {}});
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer.json();
}
function row(cells) {
  const line = document.createElement('tr');
  for (const text of cells) {
    const pre = document.createElement('pre');
    pre.textContent = text;
    line.appendChild(document.createElement('td')).appendChild(pre);
  }
  return line;
}
async function refresh() {
  const {scopes} = await get('/_emulator/scopes');
  for (const name of scopes) {
    if ([...find('scope').options].some(option => option.value === name)) continue;
    const option = document.createElement('option');
    option.value = option.textContent = name;
    find('scope').appendChild(option);
  }
  const [answers, faults, clock, limits, log] = await Promise.all([
    get('/_emulator/answers'), get('/_emulator/faults'), get('/_emulator/clock'),
    get('/_emulator/limits'), get('/_emulator/requests')]);
  find('state').textContent = `Clock: ${clock.now}. Limits: ` +
    Object.entries(limits).map(([name, value]) => `${name} ${value}`).join(', ') + '.';
  find('rules').replaceChildren(
    ...answers.answers.map(one => row([JSON.stringify(one.rule), one.matched, one.used])),
    ...faults.faults.map(one => row([one.rule, one.matched, one.applied])));
  find('requests').replaceChildren(...log.requests.reverse().map(one => {
    const line = row([one.number, `${one.method} ${one.path}${one.query ? '?' + one.query : ''}`,
                      one.status ?? '', one.body ?? `${one.body_bytes} bytes`]);
    if (one.status >= 400) line.className = 'bad';
    return line;
  }));
}
async function run() {
  try { await refresh(); } catch (error) { find('state').textContent = String(error); }
  setTimeout(run, 1000);
}
find('scope').onchange = refresh;
run();
</script>
</html>
)html";
}

}  // namespace svc::emulator
