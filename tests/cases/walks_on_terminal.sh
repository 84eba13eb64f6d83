# Read by the cases of walks/ whose terminals have different widths.
run() {
  echo "\$ svc $*"
  svc "$@" || echo "(exit $?)"
}
run models
run models list --columns name,aliases,inputs
run keys list
run keys self
run keys endpoints
run keys none
printf 'The filter is changed monthly.\n' > filter.md
printf 'name,price\nA,1\n' > prices.csv
svc files upload filter.md prices.csv -q > ids.txt
run files list --columns filename,bytes
run files delete file_none
run files content file_none
svc collections create handbook -q > id.txt
svc collections documents add handbook filter.md -q --no-progress > added.txt
run collections list --columns collection_name,documents_count
run collections documents list handbook --columns name,status
run collections search 'How is the filter changed?' --collection handbook --columns score,chunk_content
run tts voices
run phone list
run phone create
run billing balance
run billing invoices
run billing info get
run billing payment-methods list
run billing limits get
run batches list
run config list --columns name,source
run chat 'Say exactly: # Title

A paragraph with **bold words**, `code` and a [link](https://example.org/a) that is wider than sixty columns are.

- one
- two

| Name | Price | Remark |
| --- | ---: | --- |
| Filter | 12 | Changed monthly, by whoever has the time to do it |
| Pump | 1200 | Never |

```python
print("Hello")
```
' --no-stream
run chat --modle x Hello
run colections
run history
rm -f filter.md prices.csv ids.txt id.txt added.txt
