// Standard Webhooks, version 1: its test vector, and everything that must be rejected.
#include "webhook/signature.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/base64.h"

using namespace svc;
using namespace svc::webhook;

namespace {

// The example from the Standard Webhooks specification and its libraries.
const std::string k_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::int64_t k_time = 1'614'265'330;

Delivery example() {
  return {.id = "msg_p5jXN8AQM9LWM0D4loKWxJek",
          .timestamp = "1614265330",
          .signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
          .body = R"({"test": 2432232314})"};
}

Verifier verifier(const std::vector<std::string>& secrets = {k_secret}) {
  auto made = Verifier::make(secrets);
  REQUIRE(made.has_value());
  return *std::move(made);
}

Verification judged(const Delivery& delivery, std::int64_t now = k_time) {
  return verifier().verify(delivery, now);
}

Delivery signed_again(Delivery delivery) {
  delivery.signature = sign(*base64_decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), delivery);
  return delivery;
}

}  // namespace

TEST_CASE("the published example is valid") {
  CHECK(judged(example()) == Verification::Valid);
  CHECK(signed_again(example()).signature == example().signature);
}

TEST_CASE("each finding has its message") {
  const auto said = [](Verification finding, std::int64_t now) {
    return describe(finding, example(), now);
  };
  CHECK(said(Verification::Valid, k_time) == "it is valid");
  CHECK(said(Verification::NoId, k_time) == "it has no webhook-id");
  CHECK(said(Verification::NoTimestamp, k_time) == "it has no webhook-timestamp");
  CHECK(said(Verification::NoSignature, k_time) == "it has no webhook-signature");
  CHECK(said(Verification::BadTimestamp, k_time) ==
        "its webhook-timestamp is not a number of seconds");
  CHECK(said(Verification::TooOld, k_time + 720) ==
        "its webhook-timestamp is 12 min old (maximum: 5 min)");
  CHECK(said(Verification::TooNew, k_time - 720) ==
        "its webhook-timestamp is 12 min ahead (maximum: 5 min)");
  CHECK(said(Verification::NoKnownVersion, k_time) ==
        "its webhook-signature has no entry of version v1");
  CHECK(said(Verification::WrongSignature, k_time) ==
        "its signature does not match its ID, timestamp and body");
}

TEST_CASE("any change is detected") {
  Delivery body = example();
  body.body = R"({"test": 2432232315})";
  CHECK(judged(body) == Verification::WrongSignature);
  // The same JSON, reformatted.
  body.body = R"({"test":2432232314})";
  CHECK(judged(body) == Verification::WrongSignature);
  body.body = example().body + "\n";
  CHECK(judged(body) == Verification::WrongSignature);
  body.body.clear();
  CHECK(judged(body) == Verification::WrongSignature);
  Delivery id = example();
  id.id += 'x';
  CHECK(judged(id) == Verification::WrongSignature);
  Delivery time = example();
  time.timestamp = "1614265331";
  CHECK(judged(time) == Verification::WrongSignature);
  // The same number, written differently, was not signed.
  time.timestamp = "01614265330";
  CHECK(judged(time) != Verification::Valid);
  // ID and body with the separator moved.
  Delivery moved = example();
  moved.id = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330";
  CHECK(judged(moved) == Verification::WrongSignature);
}

TEST_CASE("missing headers are named") {
  Delivery one = example();
  one.id.clear();
  CHECK(judged(one) == Verification::NoId);
  one = example();
  one.timestamp.clear();
  CHECK(judged(one) == Verification::NoTimestamp);
  one = example();
  one.signature.clear();
  CHECK(judged(one) == Verification::NoSignature);
  one.signature = "  ";
  CHECK(judged(one) == Verification::NoSignature);
}

TEST_CASE("a time is accepted within five minutes either way") {
  const auto at = [](std::int64_t time) {
    Delivery delivery = example();
    delivery.timestamp = std::to_string(time);
    return judged(signed_again(delivery));
  };
  CHECK(at(k_time - 300) == Verification::Valid);
  CHECK(at(k_time + 300) == Verification::Valid);
  CHECK(at(k_time - 301) == Verification::TooOld);
  CHECK(at(k_time + 301) == Verification::TooNew);
  CHECK(at(0) == Verification::TooOld);
  CHECK(at(INT64_MAX) == Verification::TooNew);
  CHECK(at(-1) == Verification::BadTimestamp);
  for (const char* text : {"now", "1614265330.0", "+1614265330", " 1614265330", "0x6037",
                           "99999999999999999999", "1614265330\n"}) {
    CAPTURE(text);
    Delivery delivery = example();
    delivery.timestamp = text;
    CHECK(judged(signed_again(delivery)) == Verification::BadTimestamp);
  }
}

TEST_CASE("one of several signatures is enough; other versions are ignored") {
  const std::string good = example().signature;
  const std::string wrong = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
  const auto with = [](const std::string& signature) {
    Delivery delivery = example();
    delivery.signature = signature;
    return judged(delivery);
  };
  CHECK(with(wrong + " " + good) == Verification::Valid);
  CHECK(with(good + " " + wrong) == Verification::Valid);
  CHECK(with("v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM"
             "+m7TBAg== " +
             good) == Verification::Valid);
  CHECK(with("v1a," + good.substr(3)) == Verification::NoKnownVersion);
  CHECK(with("v2," + good.substr(3)) == Verification::NoKnownVersion);
  CHECK(with(good.substr(3)) == Verification::NoKnownVersion);
  CHECK(with("v1") == Verification::NoKnownVersion);
  CHECK(with("V1," + good.substr(3)) == Verification::NoKnownVersion);
  CHECK(with("v1,") == Verification::WrongSignature);
  CHECK(with("v1, " + good.substr(3)) == Verification::WrongSignature);
  CHECK(with("v1," + good) == Verification::WrongSignature);
  CHECK(with(good.substr(0, good.size() - 1)) == Verification::WrongSignature);
  CHECK(with(good + "=") == Verification::WrongSignature);
  CHECK(with(wrong) == Verification::WrongSignature);
  // Separated by anything but a space, they are one entry that matches nothing.
  CHECK(with(wrong + "," + good) == Verification::WrongSignature);
}

TEST_CASE("formats of the secret") {
  const Delivery delivery = example();
  // Without its prefix, it may be base64 or the key itself.
  CHECK(verifier({k_secret.substr(6)}).verify(delivery, k_time) == Verification::Valid);
  CHECK(verifier({k_secret + "\n"}).verify(delivery, k_time) == Verification::Valid);
  Delivery raw = example();
  raw.signature = sign("plain secret!", raw);
  CHECK(verifier({"plain secret!"}).verify(raw, k_time) == Verification::Valid);
  // Text that is also valid base64 is tried both ways.
  raw.signature = sign("c2VjcmV0", raw);
  CHECK(verifier({"c2VjcmV0"}).verify(raw, k_time) == Verification::Valid);
  raw.signature = sign("secret", raw);
  CHECK(verifier({"c2VjcmV0"}).verify(raw, k_time) == Verification::Valid);
  // Padding may be omitted.
  raw.signature = sign("secret!!", raw);
  CHECK(verifier({"whsec_c2VjcmV0ISE"}).verify(raw, k_time) == Verification::Valid);
  // With the prefix, it is never plain text.
  raw.signature = sign("whsec_c2VjcmV0", raw);
  CHECK(verifier({"whsec_c2VjcmV0"}).verify(raw, k_time) == Verification::WrongSignature);
  // Another prefix is part of the text.
  CHECK(verifier({"whsek_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}).verify(delivery, k_time) ==
        Verification::WrongSignature);
  // Any of several secrets may have signed.
  CHECK(verifier({"whsec_c2VjcmV0", k_secret}).verify(delivery, k_time) == Verification::Valid);
  for (const std::vector<std::string>& bad :
       {std::vector<std::string>{}, {""}, {" \n"}, {"whsec_"}, {"whsec_not base64!"}}) {
    const auto made = Verifier::make(bad);
    REQUIRE_FALSE(made.has_value());
    CHECK(made.error().fault == Fault::Usage);
    CHECK(made.error().message.find("not base64!") == std::string::npos);
  }
}

TEST_CASE("what is wrong with a secret") {
  const auto refused = [](const std::vector<std::string>& secrets) {
    const auto made = Verifier::make(secrets);
    REQUIRE_FALSE(made);
    CHECK(made.error().fault == Fault::Usage);
    CHECK(
        made.error().hint ==
        (made.error().message.ends_with("after whsec_") ? "Copy the complete secret again." : ""));
    return made.error().message;
  };
  CHECK(refused({}) == "no webhook signing secret to verify with");
  CHECK(refused({k_secret, " "}) == "the webhook signing secret is empty");
  CHECK(refused({"whsec_"}) == "the webhook signing secret is not valid base64 after whsec_");
  CHECK(refused({"whsec_a b"}) == "the webhook signing secret is not valid base64 after whsec_");
}

TEST_CASE("a finding reads as the end of a sentence") {
  Delivery old = example();
  CHECK(describe(Verification::TooOld, old, k_time + 720) ==
        "its webhook-timestamp is 12 min old (maximum: 5 min)");
  CHECK(describe(Verification::TooNew, old, k_time - 720) ==
        "its webhook-timestamp is 12 min ahead (maximum: 5 min)");
  // A hundred years are long enough to be told.
  old.timestamp = "9223372036854775807";
  CHECK(describe(Verification::TooNew, old, 0) ==
        "its webhook-timestamp is 34722 d 5 h ahead (maximum: 5 min)");
}

TEST_CASE("an ID is accepted once, for a limited time and number of IDs") {
  using namespace std::chrono;
  ReplayStore store(hours(1), 3);
  const auto begin = ReplayStore::Clock::now();
  CHECK(store.claim("a", begin));
  CHECK_FALSE(store.claim("a", begin + minutes(59)));
  // A repetition did not extend its time.
  CHECK(store.claim("a", begin + minutes(61)));
  CHECK(store.claim("b", begin + minutes(61)));
  CHECK(store.claim("c", begin + minutes(61)));
  CHECK(store.claim("d", begin + minutes(61)));
  CHECK(store.size() == 3);
  CHECK(store.claim("a", begin + minutes(61)));
  CHECK_FALSE(store.claim("d", begin + minutes(61)));
}

TEST_CASE("an ID that is dropped may come again, and time passes for each") {
  using namespace std::chrono;
  ReplayStore store(hours(1), 2);
  const auto begin = ReplayStore::Clock::now();
  CHECK(store.claim("a", begin));
  CHECK(store.claim("b", begin + minutes(1)));
  store.drop("a");
  store.drop("unknown");
  CHECK(store.size() == 1);
  CHECK(store.claim("a", begin + minutes(2)));
  CHECK_FALSE(store.claim("b", begin + minutes(61)));
  CHECK(store.claim("b", begin + minutes(61) + seconds(1)));
  CHECK_FALSE(store.claim("a", begin + minutes(62)));
  ReplayStore one(hours(1), 1);
  CHECK(one.claim("a", begin));
  CHECK(one.claim("b", begin));
  CHECK(one.size() == 1);
}

TEST_CASE("a token is accepted with its scheme in any case, and nothing else is") {
  for (const char* right : {"Bearer t0ken", "bearer t0ken", "BEARER t0ken", "Bearer  t0ken "}) {
    CHECK_MESSAGE(is_bearer(right, "t0ken"), right);
  }
  for (const char* wrong : {"", "t0ken", "Bearer", "Bearer ", "Bearer t0ke", "Bearer t0kens",
                            "Bearer T0KEN", "Basic t0ken", "Bearert0ken"}) {
    CHECK_MESSAGE(!is_bearer(wrong, "t0ken"), wrong);
  }
}
