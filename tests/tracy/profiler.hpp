// SPDX-License-Identifier: MIT
// profiler: the other end of Tracy's connection, as far as it takes to see what was sent. It runs
// in the traced process itself, so what Tracy sends as an address is read where it is.
#pragma once

#include <arpa/inet.h>
#include <common/TracyProtocol.hpp>
#include <common/TracyQueue.hpp>
#include <common/tracy_lz4.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <tracy/Tracy.hpp>

class profiler {
public:
    // What has come so far, by name.
    std::map<std::string, int> zones;  // that were entered
    int left = 0;                      // zones that were left
    std::map<std::string, std::vector<std::int64_t>> plots;
    std::vector<std::string> messages;
    std::map<std::string, int> threads;

    // Connects to this process; throws if that is not what answers.
    profiler() {
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(std::getenv("TRACY_PORT"))));
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        // The client begins to listen some time after the program has started.
        while (connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
            close(socket_);
            usleep(10'000);
            socket_ = socket(AF_INET, SOCK_STREAM, 0);
        }
        send(tracy::HandshakeShibboleth, tracy::HandshakeShibbolethSize);
        send(&tracy::ProtocolVersion, sizeof tracy::ProtocolVersion);
        const auto status = receive<tracy::HandshakeStatus>();
        if (status != tracy::HandshakeWelcome) throw std::runtime_error("no welcome");
        const auto welcome = receive<tracy::WelcomeMessage>();
        program = static_cast<const char*>(welcome.programName);
        if ((welcome.flags & tracy::WelcomeFlag::OnDemand) == 0) {
            throw std::runtime_error("a client without TRACY_ON_DEMAND");
        }
        (void)receive<tracy::OnDemandPayloadMessage>();
    }
    profiler(const profiler&) = delete;
    profiler& operator=(const profiler&) = delete;
    ~profiler() {
        close(socket_);
        tracy::LZ4_freeStreamDecode(stream_);
    }

    // Reads until there is what is looked for. If it never comes, ctest ends the waiting.
    template <class Condition>
    void read_until(Condition there) {
        while (!there(*this)) read_frame();
    }

    std::string program;

private:
    void send(const void* data, std::size_t size) const {
        if (write(socket_, data, size) != static_cast<ssize_t>(size)) {
            throw std::runtime_error("the connection is broken");
        }
    }
    void receive(void* data, std::size_t size) const {
        if (recv(socket_, data, size, MSG_WAITALL) != static_cast<ssize_t>(size)) {
            throw std::runtime_error("the connection is broken");
        }
    }
    template <class Message>
    [[nodiscard]] Message receive() const {
        Message m;
        receive(&m, sizeof m);
        return m;
    }

    // A frame is compressed with what came before it as the dictionary.
    void read_frame() {
        const auto size = receive<tracy::lz4sz_t>();
        receive(compressed_.get(), size);
        char* const to = frames_.get() + used_;
        const int length = tracy::LZ4_decompress_safe_continue(
            stream_, compressed_.get(), to, static_cast<int>(size), tracy::TargetFrameSize);
        if (length <= 0) throw std::runtime_error("a frame that cannot be decompressed");
        used_ += static_cast<std::size_t>(length);
        if (used_ > tracy::TargetFrameSize * std::size_t{2}) used_ = 0;
        for (const char* at = to; at != to + length;) at = read_event(at, to + length);
    }

    template <class Value>
    [[nodiscard]] static Value at(const char* where) {
        Value v;
        std::memcpy(&v, where, sizeof v);
        return v;
    }
    [[nodiscard]] static const char* text_at(std::uint64_t address) {
        return reinterpret_cast<const char*>(address);  // NOLINT(performance-no-int-to-ptr)
    }

    const char* read_event(const char* event, const char* end) {
        using tracy::QueueType;
        const auto type = static_cast<QueueType>(at<std::uint8_t>(event));
        const char* const body = event + sizeof(tracy::QueueHeader);
        const char* next = nullptr;
        if (type >= QueueType::StringData) {
            const char* const text = body + sizeof(tracy::QueueStringTransfer);
            const bool large = type == QueueType::FrameImageData || type == QueueType::SymbolCode ||
                               type == QueueType::SourceCode;
            next = large ? text + sizeof(std::uint32_t) + at<std::uint32_t>(text)
                         : text + sizeof(std::uint16_t) + at<std::uint16_t>(text);
            if (type == QueueType::ThreadName && next <= end) {
                ++threads[std::string(text + sizeof(std::uint16_t), next)];
            }
        } else if (type == QueueType::SingleStringData || type == QueueType::SecondStringData) {
            next = body + sizeof(std::uint16_t) + at<std::uint16_t>(body);
        } else if (type == QueueType::SingleStringData8 || type == QueueType::SecondStringData8) {
            next = body + sizeof(std::uint8_t) + at<std::uint8_t>(body);
        } else {
            next = event + tracy::QueueDataSize[static_cast<std::size_t>(type)];
            read_item(type, body);
        }
        if (next > end) throw std::runtime_error("an event that goes beyond its frame");
        return next;
    }

    void read_item(tracy::QueueType type, const char* body) {
        using tracy::QueueType;
        switch (type) {
            case QueueType::ZoneBegin: return enter(at<tracy::QueueZoneBegin>(body).srcloc);
            case QueueType::ZoneBegin32: return enter(at<tracy::QueueZoneBegin32>(body).srcloc);
            case QueueType::ZoneBegin16: return enter(at<tracy::QueueZoneBegin16>(body).srcloc);
            case QueueType::ZoneEnd:
            case QueueType::ZoneEnd32:
            case QueueType::ZoneEnd16: ++left; return;
            case QueueType::PlotDataInt: {
                const auto point = at<tracy::QueuePlotDataInt>(body);
                return plots[text_at(point.name)].push_back(point.val);
            }
            case QueueType::MessageLiteral: {
                const auto m = at<tracy::QueueMessageLiteral>(body);
                return messages.push_back(std::string(text_at(m.textAndMetadata.GetAddress())));
            }
            case QueueType::ThreadContext: {
                // Asks for its name; the answer comes as an event.
                const tracy::ServerQueryPacket query{tracy::ServerQueryThreadString,
                                                     at<tracy::QueueThreadContext>(body).thread, 0};
                return send(&query, sizeof query);
            }
            default: return;
        }
    }
    void enter(std::uint64_t place) {
        ++zones[reinterpret_cast<const tracy::SourceLocationData*>(text_at(place))->name];
    }

    int socket_ = socket(AF_INET, SOCK_STREAM, 0);
    tracy::LZ4_streamDecode_t* stream_ = tracy::LZ4_createStreamDecode();
    std::unique_ptr<char[]> compressed_ = std::make_unique<char[]>(tracy::LZ4Size);
    std::unique_ptr<char[]> frames_ =
        std::make_unique<char[]>(tracy::TargetFrameSize * std::size_t{3} + 1);
    std::size_t used_ = 0;
};
